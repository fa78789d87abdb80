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
  %v19 = getelementptr i16, ptr %v2, i64 %loop1.i
  %v20 = getelementptr i16, ptr %v4, i64 %loop1.i
  %v21 = getelementptr i16, ptr %v6, i64 %loop1.i
  %v22 = load <16 x i16>, ptr %v19, align 2
  %v23 = load <16 x i16>, ptr %v20, align 2
  %v24 = bitcast <16 x i16> %v22 to <16 x half>
  %v25 = fpext <16 x half> %v24 to <16 x float>
  %v26 = bitcast <16 x i16> %v23 to <16 x half>
  %v27 = fpext <16 x half> %v26 to <16 x float>
  %v28 = fadd <16 x float> %v25, %v27
  %v29 = fptrunc <16 x float> %v28 to <16 x half>
  %v30 = bitcast <16 x half> %v29 to <16 x i16>
  store <16 x i16> %v30, ptr %v21, align 2
  %loop1.step = add nsw i64 %loop1.i, 16
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  br label %loop2
loop2:
  %loop2.i = phi i64 [ %v17, %loop1.end ], [ %loop2.next, %loop2.body ]
  %v31 = icmp slt i64 %loop2.i, %end
  br i1 %v31, label %loop2.body, label %loop2.end
loop2.body:
  %v32 = getelementptr i16, ptr %v2, i64 %loop2.i
  %v33 = getelementptr i16, ptr %v4, i64 %loop2.i
  %v34 = getelementptr i16, ptr %v6, i64 %loop2.i
  %v35 = load i16, ptr %v32, align 2
  %v36 = load i16, ptr %v33, align 2
  %v37 = bitcast i16 %v35 to half
  %v38 = fpext half %v37 to float
  %v39 = bitcast i16 %v36 to half
  %v40 = fpext half %v39 to float
  %v41 = fadd float %v38, %v40
  %v42 = fptrunc float %v41 to half
  %v43 = bitcast half %v42 to i16
  store i16 %v43, ptr %v34, align 2
  %v44 = sub i64 %loop2.i, %v17
  %loop2.step = add nsw i64 %loop2.i, 1
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
