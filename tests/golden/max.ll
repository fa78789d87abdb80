declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)
declare i64 @llvm.expect.i64(i64, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @kernel(ptr noalias %args, i64 %begin, i64 %end) #0 {
entry:

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
  %v11 = getelementptr i64, ptr %args, i64 5
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr i64, ptr %args, i64 6
  %v14 = load i64, ptr %v13, align 8
  %v15 = getelementptr i64, ptr %args, i64 7
  %v16 = load i64, ptr %v15, align 8
  br label %loop1
loop1:
  %loop1.i = phi i64 [ %begin, %entry ], [ %loop1.next, %loop2.end ]
  %v17 = icmp slt i64 %loop1.i, %end
  br i1 %v17, label %loop1.body, label %loop1.end
loop1.body:
  %v18 = mul i64 %loop1.i, %v10
  %v19 = getelementptr float, ptr %v2, i64 %v18
  %v20 = getelementptr float, ptr %v4, i64 %loop1.i
  br label %loop2
loop2:
  %loop2.i = phi i64 [ 0, %loop1.body ], [ %loop2.next, %loop4.end ]
  %loop2.c0 = phi float [ 0xFFF0000000000000, %loop1.body ], [ %v105, %loop4.end ]
  %v21 = icmp slt i64 %loop2.i, %v8
  br i1 %v21, label %loop2.body, label %loop2.end
loop2.body:
  %v22 = add i64 %loop2.i, 8192
  %v23 = icmp slt i64 %v8, %v22
  %v24 = select i1 %v23, i64 %v8, i64 %v22
  %v25 = sub i64 %v24, %loop2.i
  %v26 = and i64 %v25, -64
  %v27 = add i64 %loop2.i, %v26
  br label %loop3
loop3:
  %loop3.i = phi i64 [ %loop2.i, %loop2.body ], [ %loop3.next, %loop3.body ]
  %loop3.c0 = phi <16 x float> [ splat (float 0xFFF0000000000000), %loop2.body ], [ %v56, %loop3.body ]
  %v28 = icmp slt i64 %loop3.i, %v27
  br i1 %v28, label %loop3.body, label %loop3.end
loop3.body:
  %v29 = add i64 %loop3.i, 512
  %v30 = getelementptr float, ptr %v19, i64 %v29
  %v31 = getelementptr i8, ptr %v30, i64 0
  call void @llvm.prefetch.p0(ptr %v31, i32 0, i32 3, i32 1)
  %v32 = getelementptr i8, ptr %v30, i64 64
  call void @llvm.prefetch.p0(ptr %v32, i32 0, i32 3, i32 1)
  %v33 = getelementptr i8, ptr %v30, i64 128
  call void @llvm.prefetch.p0(ptr %v33, i32 0, i32 3, i32 1)
  %v34 = getelementptr i8, ptr %v30, i64 192
  call void @llvm.prefetch.p0(ptr %v34, i32 0, i32 3, i32 1)
  %v35 = getelementptr float, ptr %v19, i64 %loop3.i
  %v36 = load <64 x float>, ptr %v35, align 4
  %v37 = shufflevector <64 x float> %v36, <64 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v38 = shufflevector <64 x float> %v36, <64 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v39 = shufflevector <64 x float> %v36, <64 x float> poison, <16 x i32> <i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47>
  %v40 = shufflevector <64 x float> %v36, <64 x float> poison, <16 x i32> <i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>
  %v41 = fcmp ogt <16 x float> %v37, %v38
  %v42 = fcmp uno <16 x float> %v37, %v37
  %v43 = or <16 x i1> %v41, %v42
  %v44 = select <16 x i1> %v43, <16 x float> %v37, <16 x float> %v38
  %v45 = fcmp ogt <16 x float> %v39, %v40
  %v46 = fcmp uno <16 x float> %v39, %v39
  %v47 = or <16 x i1> %v45, %v46
  %v48 = select <16 x i1> %v47, <16 x float> %v39, <16 x float> %v40
  %v49 = fcmp ogt <16 x float> %v44, %v48
  %v50 = fcmp uno <16 x float> %v44, %v44
  %v51 = or <16 x i1> %v49, %v50
  %v52 = select <16 x i1> %v51, <16 x float> %v44, <16 x float> %v48
  %v53 = fcmp ogt <16 x float> %loop3.c0, %v52
  %v54 = fcmp uno <16 x float> %loop3.c0, %loop3.c0
  %v55 = or <16 x i1> %v53, %v54
  %v56 = select <16 x i1> %v55, <16 x float> %loop3.c0, <16 x float> %v52
  %loop3.step = add nsw i64 %loop3.i, 64
  %loop3.next = call i64 @llvm.expect.i64(i64 %loop3.step, i64 0)
  br label %loop3
loop3.end:
  br label %loop4
loop4:
  %loop4.i = phi i64 [ %v27, %loop3.end ], [ %loop4.next, %loop4.body ]
  %loop4.c0 = phi <16 x float> [ %loop3.c0, %loop3.end ], [ %v75, %loop4.body ]
  %v57 = icmp slt i64 %loop4.i, %v24
  br i1 %v57, label %loop4.body, label %loop4.end
loop4.body:
  %v58 = sub i64 %v24, %loop4.i
  %v59 = icmp slt i64 %v58, 16
  %v60 = select i1 %v59, i64 %v58, i64 16
  %v61 = trunc i64 %v60 to i32
  %v62 = insertelement <16 x i32> poison, i32 %v61, i64 0
  %v63 = shufflevector <16 x i32> %v62, <16 x i32> poison, <16 x i32> zeroinitializer
  %v64 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v63
  %v65 = getelementptr float, ptr %v19, i64 %loop4.i
  %v66 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v65, i32 4, <16 x i1> %v64, <16 x float> zeroinitializer)
  %v67 = trunc i64 %v60 to i32
  %v68 = insertelement <16 x i32> poison, i32 %v67, i64 0
  %v69 = shufflevector <16 x i32> %v68, <16 x i32> poison, <16 x i32> zeroinitializer
  %v70 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v69
  %v71 = select <16 x i1> %v70, <16 x float> %v66, <16 x float> splat (float 0xFFF0000000000000)
  %v72 = fcmp ogt <16 x float> %loop4.c0, %v71
  %v73 = fcmp uno <16 x float> %loop4.c0, %loop4.c0
  %v74 = or <16 x i1> %v72, %v73
  %v75 = select <16 x i1> %v74, <16 x float> %loop4.c0, <16 x float> %v71
  %loop4.step = add nsw i64 %loop4.i, 16
  %loop4.next = call i64 @llvm.expect.i64(i64 %loop4.step, i64 0)
  br label %loop4
loop4.end:
  %v76 = shufflevector <16 x float> %loop4.c0, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v77 = shufflevector <16 x float> %loop4.c0, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v78 = fcmp ogt <8 x float> %v76, %v77
  %v79 = fcmp uno <8 x float> %v76, %v76
  %v80 = or <8 x i1> %v78, %v79
  %v81 = select <8 x i1> %v80, <8 x float> %v76, <8 x float> %v77
  %v82 = shufflevector <8 x float> %v81, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v83 = shufflevector <8 x float> %v81, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v84 = fcmp ogt <4 x float> %v82, %v83
  %v85 = fcmp uno <4 x float> %v82, %v82
  %v86 = or <4 x i1> %v84, %v85
  %v87 = select <4 x i1> %v86, <4 x float> %v82, <4 x float> %v83
  %v88 = shufflevector <4 x float> %v87, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v89 = shufflevector <4 x float> %v87, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v90 = fcmp ogt <2 x float> %v88, %v89
  %v91 = fcmp uno <2 x float> %v88, %v88
  %v92 = or <2 x i1> %v90, %v91
  %v93 = select <2 x i1> %v92, <2 x float> %v88, <2 x float> %v89
  %v94 = shufflevector <2 x float> %v93, <2 x float> poison, <1 x i32> <i32 0>
  %v95 = shufflevector <2 x float> %v93, <2 x float> poison, <1 x i32> <i32 1>
  %v96 = extractelement <1 x float> %v94, i64 0
  %v97 = extractelement <1 x float> %v95, i64 0
  %v98 = fcmp ogt float %v96, %v97
  %v99 = fcmp uno float %v96, %v96
  %v100 = or i1 %v98, %v99
  %v101 = select i1 %v100, float %v96, float %v97
  %v102 = fcmp ogt float %loop2.c0, %v101
  %v103 = fcmp uno float %loop2.c0, %loop2.c0
  %v104 = or i1 %v102, %v103
  %v105 = select i1 %v104, float %loop2.c0, float %v101
  %loop2.step = add nsw i64 %loop2.i, 8192
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  store float %loop2.c0, ptr %v20, align 4
  %loop1.step = add nsw i64 %loop1.i, 1
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
