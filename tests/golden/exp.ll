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
  %v19 = fcmp ogt <32 x float> %v17, splat (float 0x4056400000000000)
  %v20 = select <32 x i1> %v19, <32 x float> splat (float 0x4056400000000000), <32 x float> %v17
  %v21 = select <32 x i1> %v18, <32 x float> splat (float 0x0000000000000000), <32 x float> %v20
  %v22 = fmul <32 x float> %v21, splat (float 0x3FF7154760000000)
  %v23 = fadd <32 x float> %v22, splat (float 0x4168000000000000)
  %v24 = fsub <32 x float> %v23, splat (float 0x4168000000000000)
  %v25 = fmul <32 x float> %v24, splat (float 0x3FE62E4000000000)
  %v26 = fsub <32 x float> %v21, %v25
  %v27 = fmul <32 x float> %v24, splat (float 0x3EB7F7D1C0000000)
  %v28 = fsub <32 x float> %v26, %v27
  %v29 = fmul <32 x float> %v28, %v28
  %v30 = fmul <32 x float> %v28, %v28
  %v31 = fmul <32 x float> splat (float 0x3F56A25D00000000), %v30
  %v32 = fadd <32 x float> %v31, splat (float 0x3FA5558F00000000)
  %v33 = fmul <32 x float> %v32, %v30
  %v34 = fadd <32 x float> %v33, splat (float 0x3FDFFFFFC0000000)
  %v35 = fmul <32 x float> splat (float 0x3F81239E40000000), %v30
  %v36 = fadd <32 x float> %v35, splat (float 0x3FC5554920000000)
  %v37 = fmul <32 x float> %v28, %v36
  %v38 = fadd <32 x float> %v34, %v37
  %v39 = fmul <32 x float> %v29, %v38
  %v40 = fadd <32 x float> %v28, %v39
  %v41 = fadd <32 x float> splat (float 0x3FF0000000000000), %v40
  %v42 = bitcast <32 x float> %v23 to <32 x i32>
  %v43 = shl <32 x i32> %v42, splat (i32 22)
  %v44 = and <32 x i32> %v43, splat (i32 -8388608)
  %v45 = shl <32 x i32> %v42, splat (i32 23)
  %v46 = sub <32 x i32> %v45, %v44
  %v47 = add <32 x i32> %v44, splat (i32 1065353216)
  %v48 = bitcast <32 x i32> %v47 to <32 x float>
  %v49 = fmul <32 x float> %v41, %v48
  %v50 = add <32 x i32> %v46, splat (i32 1065353216)
  %v51 = bitcast <32 x i32> %v50 to <32 x float>
  %v52 = fmul <32 x float> %v49, %v51
  %v53 = select <32 x i1> %v18, <32 x float> splat (float 0x0000000000000000), <32 x float> %v52
  store <32 x float> %v53, ptr %v16, align 4
  %loop1.next = add nsw i64 %loop1.i, 32
  br label %loop1
loop1.end:
  br label %loop2
loop2:
  %loop2.i = phi i64 [ %v13, %loop1.end ], [ %loop2.next, %loop3.end ]
  %v54 = icmp slt i64 %loop2.i, %end
  br i1 %v54, label %loop2.body, label %loop2.end
loop2.body:
  %v55 = sub i64 %end, %v13
  %v56 = trunc i64 %v55 to i32
  %v57 = insertelement <32 x i32> poison, i32 %v56, i64 0
  %v58 = shufflevector <32 x i32> %v57, <32 x i32> poison, <32 x i32> zeroinitializer
  %v59 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v58
  %v60 = getelementptr float, ptr %v2, i64 %loop2.i
  %v61 = getelementptr float, ptr %v4, i64 %loop2.i
  %v62 = call <32 x float> @llvm.masked.load.v32f32.p0(ptr %v60, i32 4, <32 x i1> %v59, <32 x float> zeroinitializer)
  %v63 = fcmp olt <32 x float> %v62, splat (float 0xC05A000000000000)
  %v64 = fcmp ogt <32 x float> %v62, splat (float 0x4056400000000000)
  %v65 = select <32 x i1> %v64, <32 x float> splat (float 0x4056400000000000), <32 x float> %v62
  %v66 = select <32 x i1> %v63, <32 x float> splat (float 0x0000000000000000), <32 x float> %v65
  %v67 = fmul <32 x float> %v66, splat (float 0x3FF7154760000000)
  %v68 = fadd <32 x float> %v67, splat (float 0x4168000000000000)
  %v69 = fsub <32 x float> %v68, splat (float 0x4168000000000000)
  %v70 = fmul <32 x float> %v69, splat (float 0x3FE62E4000000000)
  %v71 = fsub <32 x float> %v66, %v70
  %v72 = fmul <32 x float> %v69, splat (float 0x3EB7F7D1C0000000)
  %v73 = fsub <32 x float> %v71, %v72
  %v74 = fmul <32 x float> %v73, %v73
  %v75 = fmul <32 x float> %v73, %v73
  %v76 = fmul <32 x float> splat (float 0x3F56A25D00000000), %v75
  %v77 = fadd <32 x float> %v76, splat (float 0x3FA5558F00000000)
  %v78 = fmul <32 x float> %v77, %v75
  %v79 = fadd <32 x float> %v78, splat (float 0x3FDFFFFFC0000000)
  %v80 = fmul <32 x float> splat (float 0x3F81239E40000000), %v75
  %v81 = fadd <32 x float> %v80, splat (float 0x3FC5554920000000)
  %v82 = fmul <32 x float> %v73, %v81
  %v83 = fadd <32 x float> %v79, %v82
  %v84 = fmul <32 x float> %v74, %v83
  %v85 = fadd <32 x float> %v73, %v84
  %v86 = fadd <32 x float> splat (float 0x3FF0000000000000), %v85
  %v87 = bitcast <32 x float> %v68 to <32 x i32>
  %v88 = shl <32 x i32> %v87, splat (i32 22)
  %v89 = and <32 x i32> %v88, splat (i32 -8388608)
  %v90 = shl <32 x i32> %v87, splat (i32 23)
  %v91 = sub <32 x i32> %v90, %v89
  %v92 = add <32 x i32> %v89, splat (i32 1065353216)
  %v93 = bitcast <32 x i32> %v92 to <32 x float>
  %v94 = fmul <32 x float> %v86, %v93
  %v95 = add <32 x i32> %v91, splat (i32 1065353216)
  %v96 = bitcast <32 x i32> %v95 to <32 x float>
  %v97 = fmul <32 x float> %v94, %v96
  %v98 = select <32 x i1> %v63, <32 x float> splat (float 0x0000000000000000), <32 x float> %v97
  store <32 x float> %v98, ptr %memory0, align 64
  br label %loop3
loop3:
  %loop3.i = phi i64 [ 0, %loop2.body ], [ %loop3.next, %loop3.body ]
  %v99 = icmp slt i64 %loop3.i, %v55
  br i1 %v99, label %loop3.body, label %loop3.end
loop3.body:
  %v100 = getelementptr float, ptr %memory0, i64 %loop3.i
  %v101 = getelementptr float, ptr %v61, i64 %loop3.i
  %v102 = load float, ptr %v100
  store float %v102, ptr %v101
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
