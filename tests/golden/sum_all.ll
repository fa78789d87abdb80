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
  br label %loop1
loop1:
  %loop1.i = phi i64 [ %begin, %entry ], [ %loop1.next, %loop3.end ]
  %loop1.c0 = phi double [ 0x8000000000000000, %entry ], [ %v55, %loop3.end ]
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
  %v19 = add i64 %loop2.i, 512
  %v20 = getelementptr float, ptr %v2, i64 %v19
  %v21 = getelementptr i8, ptr %v20, i64 0
  call void @llvm.prefetch.p0(ptr %v21, i32 0, i32 3, i32 1)
  %v22 = getelementptr float, ptr %v2, i64 %loop2.i
  %v23 = load <16 x float>, ptr %v22, align 4
  %v24 = fpext <16 x float> %v23 to <16 x double>
  %v25 = fadd <16 x double> %loop2.c0, %v24
  %loop2.next = add nsw i64 %loop2.i, 16
  br label %loop2
loop2.end:
  br label %loop3
loop3:
  %loop3.i = phi i64 [ %v17, %loop2.end ], [ %loop3.next, %loop3.body ]
  %loop3.c0 = phi <16 x double> [ %loop2.c0, %loop2.end ], [ %v40, %loop3.body ]
  %v26 = icmp slt i64 %loop3.i, %v14
  br i1 %v26, label %loop3.body, label %loop3.end
loop3.body:
  %v27 = sub i64 %v14, %v17
  %v28 = trunc i64 %v27 to i32
  %v29 = insertelement <16 x i32> poison, i32 %v28, i64 0
  %v30 = shufflevector <16 x i32> %v29, <16 x i32> poison, <16 x i32> zeroinitializer
  %v31 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v30
  %v32 = getelementptr float, ptr %v2, i64 %loop3.i
  %v33 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v32, i32 4, <16 x i1> %v31, <16 x float> zeroinitializer)
  %v34 = fpext <16 x float> %v33 to <16 x double>
  %v35 = trunc i64 %v27 to i32
  %v36 = insertelement <16 x i32> poison, i32 %v35, i64 0
  %v37 = shufflevector <16 x i32> %v36, <16 x i32> poison, <16 x i32> zeroinitializer
  %v38 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v37
  %v39 = select <16 x i1> %v38, <16 x double> %v34, <16 x double> splat (double 0x8000000000000000)
  %v40 = fadd <16 x double> %loop3.c0, %v39
  %loop3.next = add nsw i64 %loop3.i, 16
  br label %loop3
loop3.end:
  %v41 = shufflevector <16 x double> %loop3.c0, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v42 = shufflevector <16 x double> %loop3.c0, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v43 = fadd <8 x double> %v41, %v42
  %v44 = shufflevector <8 x double> %v43, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v45 = shufflevector <8 x double> %v43, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v46 = fadd <4 x double> %v44, %v45
  %v47 = shufflevector <4 x double> %v46, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %v48 = shufflevector <4 x double> %v46, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %v49 = fadd <2 x double> %v47, %v48
  %v50 = shufflevector <2 x double> %v49, <2 x double> poison, <1 x i32> <i32 0>
  %v51 = shufflevector <2 x double> %v49, <2 x double> poison, <1 x i32> <i32 1>
  %v52 = extractelement <1 x double> %v50, i64 0
  %v53 = extractelement <1 x double> %v51, i64 0
  %v54 = fadd double %v52, %v53
  %v55 = fadd double %loop1.c0, %v54
  %loop1.next = add nsw i64 %loop1.i, 8192
  br label %loop1
loop1.end:
  %v56 = fptrunc double %loop1.c0 to float
  store float %v56, ptr %v4, align 4
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
