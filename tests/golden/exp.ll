declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>)
declare <32 x float> @llvm.masked.load.v32f32.p0(ptr, i32, <32 x i1>, <32 x float>)
define void @kernel(ptr noalias %args, i64 %begin, i64 %end) #0 {
entry:
  %memory0 = alloca [32 x float], align 64
  %v1 = getelementptr i64, ptr %args, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %args, i64 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %args, i64 2
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %args, i64 3
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %args, i64 4
  %v10 = load i64, ptr %v9, align 8
  %v11 = sub i64 %end, %begin
  %v12 = and i64 %v11, -32
  %v13 = add i64 %begin, %v12
  br label %loop1
loop1:
  %loop1.i = phi i64 [ %begin, %entry ], [ %loop1.next, %loop1.body ]
  %v14 = icmp slt i64 %loop1.i, %v13
  br i1 %v14, label %loop1.body, label %loop1.end
loop1.body:
  %v15 = getelementptr float, ptr %v2, i64 %loop1.i
  %v16 = getelementptr float, ptr %v4, i64 %loop1.i
  %v17 = load <32 x float>, ptr %v15, align 4
  %v18 = fcmp olt <32 x float> %v17, splat (float 0xC05A000000000000)
  %v19 = xor <32 x i1> %v18, splat (i1 true)
  %v20 = fcmp ogt <32 x float> %v17, splat (float 0x4056400000000000)
  %v21 = select <32 x i1> %v20, <32 x float> splat (float 0x4056400000000000), <32 x float> %v17
  %v22 = select <32 x i1> %v19, <32 x float> %v21, <32 x float> splat (float 0x0000000000000000)
  %v23 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v22, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000000000000))
  %v24 = fsub <32 x float> %v23, splat (float 0x4168000000000000)
  %v25 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v24, <32 x float> splat (float 0xBFE62E4000000000), <32 x float> %v22)
  %v26 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v24, <32 x float> splat (float 0xBEB7F7D1C0000000), <32 x float> %v25)
  %v27 = call <32 x float> @llvm.fma.v32f32(<32 x float> splat (float 0x3F56A25D00000000), <32 x float> %v26, <32 x float> splat (float 0x3F81239E40000000))
  %v28 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v27, <32 x float> %v26, <32 x float> splat (float 0x3FA5558F00000000))
  %v29 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v28, <32 x float> %v26, <32 x float> splat (float 0x3FC5554920000000))
  %v30 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v29, <32 x float> %v26, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v31 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v30, <32 x float> %v26, <32 x float> splat (float 0x3FF0000000000000))
  %v32 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v31, <32 x float> %v26, <32 x float> splat (float 0x3FF0000000000000))
  %v33 = bitcast <32 x float> %v23 to <32 x i32>
  %v34 = shl <32 x i32> %v33, splat (i32 22)
  %v35 = and <32 x i32> %v34, splat (i32 -8388608)
  %v36 = shl <32 x i32> %v33, splat (i32 23)
  %v37 = sub <32 x i32> %v36, %v35
  %v38 = bitcast <32 x float> %v32 to <32 x i32>
  %v39 = add <32 x i32> %v38, %v35
  %v40 = bitcast <32 x i32> %v39 to <32 x float>
  %v41 = add <32 x i32> %v37, splat (i32 1065353216)
  %v42 = bitcast <32 x i32> %v41 to <32 x float>
  %v43 = fmul <32 x float> %v40, %v42
  %v44 = select <32 x i1> %v19, <32 x float> %v43, <32 x float> splat (float 0x0000000000000000)
  store <32 x float> %v44, ptr %v16, align 4
  %loop1.next = add nsw i64 %loop1.i, 32
  br label %loop1
loop1.end:
  br label %loop2
loop2:
  %loop2.i = phi i64 [ %v13, %loop1.end ], [ %loop2.next, %loop3.end ]
  %v45 = icmp slt i64 %loop2.i, %end
  br i1 %v45, label %loop2.body, label %loop2.end
loop2.body:
  %v46 = sub i64 %end, %v13
  %v47 = trunc i64 %v46 to i32
  %v48 = insertelement <32 x i32> poison, i32 %v47, i64 0
  %v49 = shufflevector <32 x i32> %v48, <32 x i32> poison, <32 x i32> zeroinitializer
  %v50 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v49
  %v51 = getelementptr float, ptr %v2, i64 %loop2.i
  %v52 = getelementptr float, ptr %v4, i64 %loop2.i
  %v53 = call <32 x float> @llvm.masked.load.v32f32.p0(ptr %v51, i32 4, <32 x i1> %v50, <32 x float> zeroinitializer)
  %v54 = fcmp olt <32 x float> %v53, splat (float 0xC05A000000000000)
  %v55 = xor <32 x i1> %v54, splat (i1 true)
  %v56 = fcmp ogt <32 x float> %v53, splat (float 0x4056400000000000)
  %v57 = select <32 x i1> %v56, <32 x float> splat (float 0x4056400000000000), <32 x float> %v53
  %v58 = select <32 x i1> %v55, <32 x float> %v57, <32 x float> splat (float 0x0000000000000000)
  %v59 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v58, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000000000000))
  %v60 = fsub <32 x float> %v59, splat (float 0x4168000000000000)
  %v61 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v60, <32 x float> splat (float 0xBFE62E4000000000), <32 x float> %v58)
  %v62 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v60, <32 x float> splat (float 0xBEB7F7D1C0000000), <32 x float> %v61)
  %v63 = call <32 x float> @llvm.fma.v32f32(<32 x float> splat (float 0x3F56A25D00000000), <32 x float> %v62, <32 x float> splat (float 0x3F81239E40000000))
  %v64 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v63, <32 x float> %v62, <32 x float> splat (float 0x3FA5558F00000000))
  %v65 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v64, <32 x float> %v62, <32 x float> splat (float 0x3FC5554920000000))
  %v66 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v65, <32 x float> %v62, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v67 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v66, <32 x float> %v62, <32 x float> splat (float 0x3FF0000000000000))
  %v68 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v67, <32 x float> %v62, <32 x float> splat (float 0x3FF0000000000000))
  %v69 = bitcast <32 x float> %v59 to <32 x i32>
  %v70 = shl <32 x i32> %v69, splat (i32 22)
  %v71 = and <32 x i32> %v70, splat (i32 -8388608)
  %v72 = shl <32 x i32> %v69, splat (i32 23)
  %v73 = sub <32 x i32> %v72, %v71
  %v74 = bitcast <32 x float> %v68 to <32 x i32>
  %v75 = add <32 x i32> %v74, %v71
  %v76 = bitcast <32 x i32> %v75 to <32 x float>
  %v77 = add <32 x i32> %v73, splat (i32 1065353216)
  %v78 = bitcast <32 x i32> %v77 to <32 x float>
  %v79 = fmul <32 x float> %v76, %v78
  %v80 = select <32 x i1> %v55, <32 x float> %v79, <32 x float> splat (float 0x0000000000000000)
  store <32 x float> %v80, ptr %memory0, align 64
  br label %loop3
loop3:
  %loop3.i = phi i64 [ 0, %loop2.body ], [ %loop3.next, %loop3.body ]
  %v81 = icmp slt i64 %loop3.i, %v46
  br i1 %v81, label %loop3.body, label %loop3.end
loop3.body:
  %v82 = getelementptr float, ptr %memory0, i64 %loop3.i
  %v83 = getelementptr float, ptr %v52, i64 %loop3.i
  %v84 = load float, ptr %v82
  store float %v84, ptr %v83
  %loop3.next = add nsw i64 %loop3.i, 1
  br label %loop3
loop3.end:
  %loop2.next = add nsw i64 %loop2.i, 32
  br label %loop2
loop2.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
