declare i64 @llvm.expect.i64(i64, i64)
define void @kernel(ptr noalias %args, i64 %begin, i64 %end) #0 {
entry:

  %v1 = getelementptr i64, ptr %args, i64 0
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %args, i64 1
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %args, i64 2
  %v6 = load ptr, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %args, i64 3
  %v8 = load ptr, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %args, i64 4
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %args, i64 5
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr i64, ptr %args, i64 6
  %v14 = load i64, ptr %v13, align 8
  %v15 = getelementptr i64, ptr %args, i64 7
  %v16 = load i64, ptr %v15, align 8
  %v17 = getelementptr i64, ptr %args, i64 8
  %v18 = load i64, ptr %v17, align 8
  %v19 = getelementptr i64, ptr %args, i64 9
  %v20 = load i64, ptr %v19, align 8
  %v21 = getelementptr i64, ptr %args, i64 10
  %v22 = load i64, ptr %v21, align 8
  %v23 = getelementptr i64, ptr %args, i64 11
  %v24 = load i64, ptr %v23, align 8
  %v25 = getelementptr i64, ptr %args, i64 12
  %v26 = load i64, ptr %v25, align 8
  %v27 = getelementptr i64, ptr %args, i64 13
  %v28 = load i64, ptr %v27, align 8
  %v29 = getelementptr i64, ptr %args, i64 14
  %v30 = load i64, ptr %v29, align 8
  %v31 = getelementptr i64, ptr %args, i64 15
  %v32 = load i64, ptr %v31, align 8
  %v33 = getelementptr i64, ptr %args, i64 16
  %v34 = load float, ptr %v33, align 8
  br label %loop1
loop1:
  %loop1.i = phi i64 [ %begin, %entry ], [ %loop1.next, %loop6.end ]
  %v35 = icmp slt i64 %loop1.i, %end
  br i1 %v35, label %loop1.body, label %loop1.end
loop1.body:
  %v36 = add i64 %v2, %loop1.i
  %v37 = mul i64 %loop1.i, %v22
  %v38 = getelementptr float, ptr %v6, i64 %v37
  %v39 = mul i64 %loop1.i, %v26
  %v40 = getelementptr float, ptr %v8, i64 %v39
  %v41 = icmp ult i64 %v36, %v30
  %v42 = sub i64 0, %v4
  %v43 = add i64 %v42, %v32
  %v44 = icmp sgt i64 0, %v42
  %v45 = select i1 %v44, i64 0, i64 %v42
  %v46 = icmp slt i64 %v12, %v45
  %v47 = select i1 %v46, i64 %v12, i64 %v45
  %v48 = icmp sgt i64 %v47, %v43
  %v49 = select i1 %v48, i64 %v47, i64 %v43
  %v50 = icmp slt i64 %v12, %v49
  %v51 = select i1 %v50, i64 %v12, i64 %v49
  %v52 = sub i64 %v51, %v47
  %v53 = icmp sge i64 %v52, 16
  %v54 = select i1 %v53, i64 %v51, i64 %v47
  %v55 = icmp sgt i64 0, %v42
  %v56 = select i1 %v55, i64 0, i64 %v42
  %v57 = icmp slt i64 %v47, %v56
  %v58 = select i1 %v57, i64 %v47, i64 %v56
  %v59 = sub i64 %v58, 0
  %v60 = icmp sge i64 %v59, 16
  %v61 = select i1 %v60, i64 %v58, i64 0
  %v62 = icmp sgt i64 %v54, %v43
  %v63 = select i1 %v62, i64 %v54, i64 %v43
  %v64 = icmp sgt i64 0, %v63
  %v65 = select i1 %v64, i64 0, i64 %v63
  %v66 = icmp slt i64 %v12, %v65
  %v67 = select i1 %v66, i64 %v12, i64 %v65
  %v68 = sub i64 %v12, %v67
  %v69 = icmp sge i64 %v68, 16
  %v70 = select i1 %v69, i64 %v12, i64 %v67
  br label %loop2
loop2:
  %loop2.i = phi i64 [ 0, %loop1.body ], [ %loop2.next, %loop3.end ]
  %v71 = icmp slt i64 %loop2.i, 1
  br i1 %v71, label %loop2.body, label %loop2.end
loop2.body:
  br label %loop3
loop3:
  %loop3.i = phi i64 [ %v47, %loop2.body ], [ %loop3.next, %on.5 ]
  %v72 = icmp slt i64 %loop3.i, %v54
  br i1 %v72, label %loop3.body, label %loop3.end
loop3.body:
  %v73 = add i64 %v54, -16
  %v74 = icmp slt i64 %loop3.i, %v73
  %v75 = select i1 %v74, i64 %loop3.i, i64 %v73
  %v76 = add i64 %v4, %v75
  %v77 = getelementptr float, ptr %v38, i64 %v75
  %v78 = getelementptr float, ptr %v40, i64 %v75
  br i1 %v41, label %all.2, label %none.3
all.2:
  %v79 = load <16 x float>, ptr %v77, align 4
  br label %on.5
none.3:
  br label %on.5
on.5:
  %v80 = phi <16 x float> [ %v79, %all.2 ], [ zeroinitializer, %none.3 ]
  %v81 = insertelement <16 x i1> poison, i1 %v41, i64 0
  %v82 = shufflevector <16 x i1> %v81, <16 x i1> poison, <16 x i32> zeroinitializer
  %v83 = insertelement <16 x float> poison, float %v34, i64 0
  %v84 = shufflevector <16 x float> %v83, <16 x float> poison, <16 x i32> zeroinitializer
  %v85 = select <16 x i1> %v82, <16 x float> %v80, <16 x float> %v84
  %v86 = fneg <16 x float> %v85
  store <16 x float> %v86, ptr %v78, align 4
  %loop3.step = add nsw i64 %loop3.i, 16
  %loop3.next = call i64 @llvm.expect.i64(i64 %loop3.step, i64 0)
  br label %loop3
loop3.end:
  %loop2.step = add nsw i64 %loop2.i, 1
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  br label %loop4
loop4:
  %loop4.i = phi i64 [ 0, %loop2.end ], [ %loop4.next, %loop5.end ]
  %v87 = icmp slt i64 %loop4.i, 2
  br i1 %v87, label %loop4.body, label %loop4.end
loop4.body:
  %v88 = icmp eq i64 %loop4.i, 0
  %v89 = select i1 %v88, i64 0, i64 %v67
  %v90 = select i1 %v88, i64 %v61, i64 %v70
  br label %loop5
loop5:
  %loop5.i = phi i64 [ %v89, %loop4.body ], [ %loop5.next, %loop5.body ]
  %v91 = icmp slt i64 %loop5.i, %v90
  br i1 %v91, label %loop5.body, label %loop5.end
loop5.body:
  %v92 = add i64 %v90, -16
  %v93 = icmp slt i64 %loop5.i, %v92
  %v94 = select i1 %v93, i64 %loop5.i, i64 %v92
  %v95 = add i64 %v4, %v94
  %v96 = getelementptr float, ptr %v38, i64 %v94
  %v97 = getelementptr float, ptr %v40, i64 %v94
  %v98 = fneg float %v34
  %v99 = insertelement <16 x float> poison, float %v98, i64 0
  %v100 = shufflevector <16 x float> %v99, <16 x float> poison, <16 x i32> zeroinitializer
  store <16 x float> %v100, ptr %v97, align 4
  %loop5.step = add nsw i64 %loop5.i, 16
  %loop5.next = call i64 @llvm.expect.i64(i64 %loop5.step, i64 0)
  br label %loop5
loop5.end:
  %loop4.step = add nsw i64 %loop4.i, 1
  %loop4.next = call i64 @llvm.expect.i64(i64 %loop4.step, i64 0)
  br label %loop4
loop4.end:
  br label %loop6
loop6:
  %loop6.i = phi i64 [ 0, %loop4.end ], [ %loop6.next, %loop7.end ]
  %v101 = icmp slt i64 %loop6.i, 3
  br i1 %v101, label %loop6.body, label %loop6.end
loop6.body:
  %v102 = icmp eq i64 %loop6.i, 1
  %v103 = select i1 %v102, i64 %v54, i64 %v70
  %v104 = select i1 %v102, i64 %v67, i64 %v12
  %v105 = icmp eq i64 %loop6.i, 0
  %v106 = select i1 %v105, i64 %v61, i64 %v103
  %v107 = select i1 %v105, i64 %v47, i64 %v104
  br label %loop7
loop7:
  %loop7.i = phi i64 [ %v106, %loop6.body ], [ %loop7.next, %on.10 ]
  %v108 = icmp slt i64 %loop7.i, %v107
  br i1 %v108, label %loop7.body, label %loop7.end
loop7.body:
  %v109 = add i64 %v4, %loop7.i
  %v110 = getelementptr float, ptr %v38, i64 %loop7.i
  %v111 = getelementptr float, ptr %v40, i64 %loop7.i
  %v112 = icmp ult i64 %v109, %v32
  %v113 = and i1 %v41, %v112
  br i1 %v113, label %all.7, label %none.8
all.7:
  %v114 = load float, ptr %v110, align 4
  br label %on.10
none.8:
  br label %on.10
on.10:
  %v115 = phi float [ %v114, %all.7 ], [ zeroinitializer, %none.8 ]
  %v116 = select i1 %v113, float %v115, float %v34
  %v117 = fneg float %v116
  store float %v117, ptr %v111, align 4
  %loop7.step = add nsw i64 %loop7.i, 1
  %loop7.next = call i64 @llvm.expect.i64(i64 %loop7.step, i64 0)
  br label %loop7
loop7.end:
  %loop6.step = add nsw i64 %loop6.i, 1
  %loop6.next = call i64 @llvm.expect.i64(i64 %loop6.step, i64 0)
  br label %loop6
loop6.end:
  %loop1.step = add nsw i64 %loop1.i, 1
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
