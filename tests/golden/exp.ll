declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)
declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>)
declare i64 @llvm.expect.i64(i64, i64)
define void @kernel(ptr noalias %args, i64 %begin, i64 %end) #0 {
entry:
  %memory0 = alloca [16 x float], align 64
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
  %loop1.step = add nsw i64 %loop1.i, 32
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  br label %loop2
loop2:
  %loop2.i = phi i64 [ %v13, %loop1.end ], [ %loop2.next, %loop3.end ]
  %v45 = icmp slt i64 %loop2.i, %end
  br i1 %v45, label %loop2.body, label %loop2.end
loop2.body:
  %v46 = sub i64 %end, %loop2.i
  %v47 = icmp slt i64 %v46, 16
  %v48 = select i1 %v47, i64 %v46, i64 16
  %v49 = trunc i64 %v48 to i32
  %v50 = insertelement <16 x i32> poison, i32 %v49, i64 0
  %v51 = shufflevector <16 x i32> %v50, <16 x i32> poison, <16 x i32> zeroinitializer
  %v52 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v51
  %v53 = getelementptr float, ptr %v2, i64 %loop2.i
  %v54 = getelementptr float, ptr %v4, i64 %loop2.i
  %v55 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v53, i32 4, <16 x i1> %v52, <16 x float> zeroinitializer)
  %v56 = fcmp olt <16 x float> %v55, splat (float 0xC05A000000000000)
  %v57 = xor <16 x i1> %v56, splat (i1 true)
  %v58 = fcmp ogt <16 x float> %v55, splat (float 0x4056400000000000)
  %v59 = select <16 x i1> %v58, <16 x float> splat (float 0x4056400000000000), <16 x float> %v55
  %v60 = select <16 x i1> %v57, <16 x float> %v59, <16 x float> splat (float 0x0000000000000000)
  %v61 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v60, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4168000000000000))
  %v62 = fsub <16 x float> %v61, splat (float 0x4168000000000000)
  %v63 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v62, <16 x float> splat (float 0xBFE62E4000000000), <16 x float> %v60)
  %v64 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v62, <16 x float> splat (float 0xBEB7F7D1C0000000), <16 x float> %v63)
  %v65 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3F56A25D00000000), <16 x float> %v64, <16 x float> splat (float 0x3F81239E40000000))
  %v66 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v65, <16 x float> %v64, <16 x float> splat (float 0x3FA5558F00000000))
  %v67 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v66, <16 x float> %v64, <16 x float> splat (float 0x3FC5554920000000))
  %v68 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v67, <16 x float> %v64, <16 x float> splat (float 0x3FDFFFFFC0000000))
  %v69 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v68, <16 x float> %v64, <16 x float> splat (float 0x3FF0000000000000))
  %v70 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v69, <16 x float> %v64, <16 x float> splat (float 0x3FF0000000000000))
  %v71 = bitcast <16 x float> %v61 to <16 x i32>
  %v72 = shl <16 x i32> %v71, splat (i32 22)
  %v73 = and <16 x i32> %v72, splat (i32 -8388608)
  %v74 = shl <16 x i32> %v71, splat (i32 23)
  %v75 = sub <16 x i32> %v74, %v73
  %v76 = bitcast <16 x float> %v70 to <16 x i32>
  %v77 = add <16 x i32> %v76, %v73
  %v78 = bitcast <16 x i32> %v77 to <16 x float>
  %v79 = add <16 x i32> %v75, splat (i32 1065353216)
  %v80 = bitcast <16 x i32> %v79 to <16 x float>
  %v81 = fmul <16 x float> %v78, %v80
  %v82 = select <16 x i1> %v57, <16 x float> %v81, <16 x float> splat (float 0x0000000000000000)
  store <16 x float> %v82, ptr %memory0, align 64
  br label %loop3
loop3:
  %loop3.i = phi i64 [ 0, %loop2.body ], [ %loop3.next, %loop3.body ]
  %v83 = icmp slt i64 %loop3.i, %v48
  br i1 %v83, label %loop3.body, label %loop3.end
loop3.body:
  %v84 = getelementptr float, ptr %memory0, i64 %loop3.i
  %v85 = getelementptr float, ptr %v54, i64 %loop3.i
  %v86 = load float, ptr %v84
  store float %v86, ptr %v85
  %loop3.step = add nsw i64 %loop3.i, 1
  %loop3.next = call i64 @llvm.expect.i64(i64 %loop3.step, i64 0)
  br label %loop3
loop3.end:
  %loop2.step = add nsw i64 %loop2.i, 16
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
