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
  %v15 = sub i64 %end, %begin
  %v16 = and i64 %v15, -16
  %v17 = add i64 %begin, %v16
  br label %loop1
loop1:
  %loop1.i = phi i64 [ %begin, %entry ], [ %loop1.next, %loop1.body ]
  %v18 = icmp slt i64 %loop1.i, %v17
  br i1 %v18, label %loop1.body, label %loop1.end
loop1.body:
  %v19 = getelementptr float, ptr %v2, i64 %loop1.i
  %v20 = getelementptr float, ptr %v4, i64 %loop1.i
  %v21 = getelementptr float, ptr %v6, i64 %loop1.i
  %v22 = load <16 x float>, ptr %v19, align 4
  %v23 = load <16 x float>, ptr %v20, align 4
  %v24 = fadd <16 x float> %v22, %v23
  store <16 x float> %v24, ptr %v21, align 4
  %loop1.step = add nsw i64 %loop1.i, 16
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  br label %loop2
loop2:
  %loop2.i = phi i64 [ %v17, %loop1.end ], [ %loop2.next, %loop2.body ]
  %v25 = icmp slt i64 %loop2.i, %end
  br i1 %v25, label %loop2.body, label %loop2.end
loop2.body:
  %v26 = getelementptr float, ptr %v2, i64 %loop2.i
  %v27 = getelementptr float, ptr %v4, i64 %loop2.i
  %v28 = getelementptr float, ptr %v6, i64 %loop2.i
  %v29 = load float, ptr %v26, align 4
  %v30 = load float, ptr %v27, align 4
  %v31 = fadd float %v29, %v30
  store float %v31, ptr %v28, align 4
  %v32 = sub i64 %loop2.i, %v17
  %loop2.step = add nsw i64 %loop2.i, 1
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
