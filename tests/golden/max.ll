declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)
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
  %loop2.c0 = phi float [ 0xFFF0000000000000, %loop1.body ], [ %v84, %loop4.end ]
  %v21 = icmp slt i64 %loop2.i, %v8
  br i1 %v21, label %loop2.body, label %loop2.end
loop2.body:
  %v22 = add i64 %loop2.i, 8192
  %v23 = icmp slt i64 %v8, %v22
  %v24 = select i1 %v23, i64 %v8, i64 %v22
  %v25 = sub i64 %v24, %loop2.i
  %v26 = and i64 %v25, -16
  %v27 = add i64 %loop2.i, %v26
  br label %loop3
loop3:
  %loop3.i = phi i64 [ %loop2.i, %loop2.body ], [ %loop3.next, %loop3.body ]
  %loop3.c0 = phi <16 x float> [ splat (float 0xFFF0000000000000), %loop2.body ], [ %v37, %loop3.body ]
  %v28 = icmp slt i64 %loop3.i, %v27
  br i1 %v28, label %loop3.body, label %loop3.end
loop3.body:
  %v29 = add i64 %loop3.i, 512
  %v30 = getelementptr float, ptr %v19, i64 %v29
  %v31 = getelementptr i8, ptr %v30, i64 0
  call void @llvm.prefetch.p0(ptr %v31, i32 0, i32 3, i32 1)
  %v32 = getelementptr float, ptr %v19, i64 %loop3.i
  %v33 = load <16 x float>, ptr %v32, align 4
  %v34 = fcmp ogt <16 x float> %loop3.c0, %v33
  %v35 = fcmp uno <16 x float> %loop3.c0, %loop3.c0
  %v36 = or <16 x i1> %v34, %v35
  %v37 = select <16 x i1> %v36, <16 x float> %loop3.c0, <16 x float> %v33
  %loop3.next = add nsw i64 %loop3.i, 16
  br label %loop3
loop3.end:
  br label %loop4
loop4:
  %loop4.i = phi i64 [ %v27, %loop3.end ], [ %loop4.next, %loop4.body ]
  %loop4.c0 = phi <16 x float> [ %loop3.c0, %loop3.end ], [ %v54, %loop4.body ]
  %v38 = icmp slt i64 %loop4.i, %v24
  br i1 %v38, label %loop4.body, label %loop4.end
loop4.body:
  %v39 = sub i64 %v24, %v27
  %v40 = trunc i64 %v39 to i32
  %v41 = insertelement <16 x i32> poison, i32 %v40, i64 0
  %v42 = shufflevector <16 x i32> %v41, <16 x i32> poison, <16 x i32> zeroinitializer
  %v43 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v42
  %v44 = getelementptr float, ptr %v19, i64 %loop4.i
  %v45 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v44, i32 4, <16 x i1> %v43, <16 x float> zeroinitializer)
  %v46 = trunc i64 %v39 to i32
  %v47 = insertelement <16 x i32> poison, i32 %v46, i64 0
  %v48 = shufflevector <16 x i32> %v47, <16 x i32> poison, <16 x i32> zeroinitializer
  %v49 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v48
  %v50 = select <16 x i1> %v49, <16 x float> %v45, <16 x float> splat (float 0xFFF0000000000000)
  %v51 = fcmp ogt <16 x float> %loop4.c0, %v50
  %v52 = fcmp uno <16 x float> %loop4.c0, %loop4.c0
  %v53 = or <16 x i1> %v51, %v52
  %v54 = select <16 x i1> %v53, <16 x float> %loop4.c0, <16 x float> %v50
  %loop4.next = add nsw i64 %loop4.i, 16
  br label %loop4
loop4.end:
  %v55 = shufflevector <16 x float> %loop4.c0, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v56 = shufflevector <16 x float> %loop4.c0, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v57 = fcmp ogt <8 x float> %v55, %v56
  %v58 = fcmp uno <8 x float> %v55, %v55
  %v59 = or <8 x i1> %v57, %v58
  %v60 = select <8 x i1> %v59, <8 x float> %v55, <8 x float> %v56
  %v61 = shufflevector <8 x float> %v60, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v62 = shufflevector <8 x float> %v60, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v63 = fcmp ogt <4 x float> %v61, %v62
  %v64 = fcmp uno <4 x float> %v61, %v61
  %v65 = or <4 x i1> %v63, %v64
  %v66 = select <4 x i1> %v65, <4 x float> %v61, <4 x float> %v62
  %v67 = shufflevector <4 x float> %v66, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v68 = shufflevector <4 x float> %v66, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v69 = fcmp ogt <2 x float> %v67, %v68
  %v70 = fcmp uno <2 x float> %v67, %v67
  %v71 = or <2 x i1> %v69, %v70
  %v72 = select <2 x i1> %v71, <2 x float> %v67, <2 x float> %v68
  %v73 = shufflevector <2 x float> %v72, <2 x float> poison, <1 x i32> <i32 0>
  %v74 = shufflevector <2 x float> %v72, <2 x float> poison, <1 x i32> <i32 1>
  %v75 = extractelement <1 x float> %v73, i64 0
  %v76 = extractelement <1 x float> %v74, i64 0
  %v77 = fcmp ogt float %v75, %v76
  %v78 = fcmp uno float %v75, %v75
  %v79 = or i1 %v77, %v78
  %v80 = select i1 %v79, float %v75, float %v76
  %v81 = fcmp ogt float %loop2.c0, %v80
  %v82 = fcmp uno float %loop2.c0, %loop2.c0
  %v83 = or i1 %v81, %v82
  %v84 = select i1 %v83, float %loop2.c0, float %v80
  %loop2.next = add nsw i64 %loop2.i, 8192
  br label %loop2
loop2.end:
  store float %loop2.c0, ptr %v20, align 4
  %loop1.next = add nsw i64 %loop1.i, 1
  br label %loop1
loop1.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
