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
  %v16 = and i64 %v15, -8
  %v17 = add i64 %begin, %v16
  br label %loop1
loop1:
  %loop1.i = phi i64 [ %begin, %entry ], [ %loop1.next, %loop1.body ]
  %v18 = icmp slt i64 %loop1.i, %v17
  br i1 %v18, label %loop1.body, label %loop1.end
loop1.body:
  %v19 = getelementptr i64, ptr %v2, i64 %loop1.i
  %v20 = getelementptr i64, ptr %v4, i64 %loop1.i
  %v21 = getelementptr i64, ptr %v6, i64 %loop1.i
  %v22 = load <8 x i64>, ptr %v19, align 4
  %v23 = load <8 x i64>, ptr %v20, align 4
  %v24 = bitcast <8 x i64> %v22 to <16 x float>
  %v25 = bitcast <8 x i64> %v23 to <16 x float>
  %v26 = shufflevector <16 x float> %v24, <16 x float> poison, <16 x i32> <i32 0, i32 0, i32 2, i32 2, i32 4, i32 4, i32 6, i32 6, i32 8, i32 8, i32 10, i32 10, i32 12, i32 12, i32 14, i32 14>
  %v27 = fmul <16 x float> %v26, %v25
  %v28 = shufflevector <16 x float> %v24, <16 x float> poison, <16 x i32> <i32 1, i32 1, i32 3, i32 3, i32 5, i32 5, i32 7, i32 7, i32 9, i32 9, i32 11, i32 11, i32 13, i32 13, i32 15, i32 15>
  %v29 = shufflevector <16 x float> %v25, <16 x float> poison, <16 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6, i32 9, i32 8, i32 11, i32 10, i32 13, i32 12, i32 15, i32 14>
  %v30 = fmul <16 x float> %v28, %v29
  %v31 = fsub <16 x float> %v27, %v30
  %v32 = fadd <16 x float> %v27, %v30
  %v33 = shufflevector <16 x float> %v31, <16 x float> %v32, <16 x i32> <i32 0, i32 17, i32 2, i32 19, i32 4, i32 21, i32 6, i32 23, i32 8, i32 25, i32 10, i32 27, i32 12, i32 29, i32 14, i32 31>
  %v34 = bitcast <16 x float> %v33 to <8 x i64>
  store <8 x i64> %v34, ptr %v21, align 4
  %loop1.step = add nsw i64 %loop1.i, 8
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  br label %loop2
loop2:
  %loop2.i = phi i64 [ %v17, %loop1.end ], [ %loop2.next, %loop2.body ]
  %v35 = icmp slt i64 %loop2.i, %end
  br i1 %v35, label %loop2.body, label %loop2.end
loop2.body:
  %v36 = getelementptr i64, ptr %v2, i64 %loop2.i
  %v37 = getelementptr i64, ptr %v4, i64 %loop2.i
  %v38 = getelementptr i64, ptr %v6, i64 %loop2.i
  %v39 = load i64, ptr %v36, align 4
  %v40 = load i64, ptr %v37, align 4
  %v41 = bitcast i64 %v39 to <2 x float>
  %v42 = extractelement <2 x float> %v41, i64 0
  %v43 = extractelement <2 x float> %v41, i64 1
  %v44 = bitcast i64 %v40 to <2 x float>
  %v45 = extractelement <2 x float> %v44, i64 0
  %v46 = extractelement <2 x float> %v44, i64 1
  %v47 = fmul float %v42, %v45
  %v48 = fmul float %v43, %v46
  %v49 = fsub float %v47, %v48
  %v50 = fmul float %v42, %v46
  %v51 = fmul float %v43, %v45
  %v52 = fadd float %v50, %v51
  %v53 = insertelement <2 x float> poison, float %v49, i64 0
  %v54 = insertelement <2 x float> %v53, float %v52, i64 1
  %v55 = bitcast <2 x float> %v54 to i64
  store i64 %v55, ptr %v38, align 4
  %v56 = sub i64 %loop2.i, %v17
  %loop2.step = add nsw i64 %loop2.i, 1
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
