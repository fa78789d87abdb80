declare i64 @llvm.expect.i64(i64, i64)
define void @kernel(ptr noalias %args, i64 %begin, i64 %end) #0 {
entry:

  %v1 = getelementptr i64, ptr %args, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %args, i64 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %args, i64 2
  %v6 = load ptr, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %args, i64 3
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %args, i64 4
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %args, i64 5
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr i64, ptr %args, i64 6
  %v14 = load i64, ptr %v13, align 8
  %v15 = getelementptr i64, ptr %args, i64 7
  %v16 = load float, ptr %v15, align 8
  %v17 = getelementptr i64, ptr %args, i64 8
  %v18 = load float, ptr %v17, align 8
  %v19 = sub i64 %end, %begin
  %v20 = and i64 %v19, -16
  %v21 = add i64 %begin, %v20
  br label %loop1
loop1:
  %loop1.i = phi i64 [ %begin, %entry ], [ %loop1.next, %loop1.body ]
  %v22 = icmp slt i64 %loop1.i, %v21
  br i1 %v22, label %loop1.body, label %loop1.end
loop1.body:
  %v23 = getelementptr float, ptr %v2, i64 %loop1.i
  %v24 = getelementptr float, ptr %v4, i64 %loop1.i
  %v25 = getelementptr float, ptr %v6, i64 %loop1.i
  %v26 = load <16 x float>, ptr %v23, align 4
  %v27 = insertelement <16 x float> poison, float %v16, i64 0
  %v28 = shufflevector <16 x float> %v27, <16 x float> poison, <16 x i32> zeroinitializer
  %v29 = fcmp ogt <16 x float> %v26, %v28
  %v30 = load <16 x float>, ptr %v24, align 4
  %v31 = insertelement <16 x float> poison, float %v18, i64 0
  %v32 = shufflevector <16 x float> %v31, <16 x float> poison, <16 x i32> zeroinitializer
  %v33 = select <16 x i1> %v29, <16 x float> %v30, <16 x float> %v32
  store <16 x float> %v33, ptr %v25, align 4
  %loop1.step = add nsw i64 %loop1.i, 16
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  br label %loop2
loop2:
  %loop2.i = phi i64 [ %v21, %loop1.end ], [ %loop2.next, %loop2.body ]
  %v34 = icmp slt i64 %loop2.i, %end
  br i1 %v34, label %loop2.body, label %loop2.end
loop2.body:
  %v35 = getelementptr float, ptr %v2, i64 %loop2.i
  %v36 = getelementptr float, ptr %v4, i64 %loop2.i
  %v37 = getelementptr float, ptr %v6, i64 %loop2.i
  %v38 = load float, ptr %v35, align 4
  %v39 = fcmp ogt float %v38, %v16
  %v40 = load float, ptr %v36, align 4
  %v41 = select i1 %v39, float %v40, float %v18
  store float %v41, ptr %v37, align 4
  %v42 = sub i64 %loop2.i, %v21
  %loop2.step = add nsw i64 %loop2.i, 1
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
