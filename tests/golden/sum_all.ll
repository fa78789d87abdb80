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
  br label %loop1
loop1:
  %loop1.i = phi i64 [ %begin, %entry ], [ %loop1.next, %loop3.end ]
  %loop1.c0 = phi double [ 0x8000000000000000, %entry ], [ %v57, %loop3.end ]
  %v11 = icmp slt i64 %loop1.i, %end
  br i1 %v11, label %loop1.body, label %loop1.end
loop1.body:
  %v12 = add i64 %loop1.i, 8192
  %v13 = icmp slt i64 %end, %v12
  %v14 = select i1 %v13, i64 %end, i64 %v12
  %v15 = sub i64 %v14, %loop1.i
  %v16 = and i64 %v15, -16
  %v17 = add i64 %loop1.i, %v16
  br label %loop2
loop2:
  %loop2.i = phi i64 [ %loop1.i, %loop1.body ], [ %loop2.next, %loop2.body ]
  %loop2.c0 = phi <16 x double> [ splat (double 0x8000000000000000), %loop1.body ], [ %v25, %loop2.body ]
  %v18 = icmp slt i64 %loop2.i, %v17
  br i1 %v18, label %loop2.body, label %loop2.end
loop2.body:
  %v19 = add i64 %loop2.i, 2048
  %v20 = getelementptr float, ptr %v2, i64 %v19
  %v21 = getelementptr i8, ptr %v20, i64 0
  call void @llvm.prefetch.p0(ptr %v21, i32 0, i32 3, i32 1)
  %v22 = getelementptr float, ptr %v2, i64 %loop2.i
  %v23 = load <16 x float>, ptr %v22, align 4
  %v24 = fpext <16 x float> %v23 to <16 x double>
  %v25 = fadd <16 x double> %loop2.c0, %v24
  %loop2.step = add nsw i64 %loop2.i, 16
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  br label %loop3
loop3:
  %loop3.i = phi i64 [ %v17, %loop2.end ], [ %loop3.next, %loop3.body ]
  %loop3.c0 = phi <16 x double> [ %loop2.c0, %loop2.end ], [ %v42, %loop3.body ]
  %v26 = icmp slt i64 %loop3.i, %v14
  br i1 %v26, label %loop3.body, label %loop3.end
loop3.body:
  %v27 = sub i64 %v14, %loop3.i
  %v28 = icmp slt i64 %v27, 16
  %v29 = select i1 %v28, i64 %v27, i64 16
  %v30 = trunc i64 %v29 to i32
  %v31 = insertelement <16 x i32> poison, i32 %v30, i64 0
  %v32 = shufflevector <16 x i32> %v31, <16 x i32> poison, <16 x i32> zeroinitializer
  %v33 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v32
  %v34 = getelementptr float, ptr %v2, i64 %loop3.i
  %v35 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v34, i32 4, <16 x i1> %v33, <16 x float> zeroinitializer)
  %v36 = fpext <16 x float> %v35 to <16 x double>
  %v37 = trunc i64 %v29 to i32
  %v38 = insertelement <16 x i32> poison, i32 %v37, i64 0
  %v39 = shufflevector <16 x i32> %v38, <16 x i32> poison, <16 x i32> zeroinitializer
  %v40 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v39
  %v41 = select <16 x i1> %v40, <16 x double> %v36, <16 x double> splat (double 0x8000000000000000)
  %v42 = fadd <16 x double> %loop3.c0, %v41
  %loop3.step = add nsw i64 %loop3.i, 16
  %loop3.next = call i64 @llvm.expect.i64(i64 %loop3.step, i64 0)
  br label %loop3
loop3.end:
  %v43 = shufflevector <16 x double> %loop3.c0, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v44 = shufflevector <16 x double> %loop3.c0, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v45 = fadd <8 x double> %v43, %v44
  %v46 = shufflevector <8 x double> %v45, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v47 = shufflevector <8 x double> %v45, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v48 = fadd <4 x double> %v46, %v47
  %v49 = shufflevector <4 x double> %v48, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %v50 = shufflevector <4 x double> %v48, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %v51 = fadd <2 x double> %v49, %v50
  %v52 = shufflevector <2 x double> %v51, <2 x double> poison, <1 x i32> <i32 0>
  %v53 = shufflevector <2 x double> %v51, <2 x double> poison, <1 x i32> <i32 1>
  %v54 = extractelement <1 x double> %v52, i64 0
  %v55 = extractelement <1 x double> %v53, i64 0
  %v56 = fadd double %v54, %v55
  %v57 = fadd double %loop1.c0, %v56
  %loop1.step = add nsw i64 %loop1.i, 8192
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  %v58 = fptrunc double %loop1.c0 to float
  store float %v58, ptr %v4, align 4
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
