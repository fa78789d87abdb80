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
  %loop2.c0 = phi double [ 0x8000000000000000, %loop1.body ], [ %v67, %loop4.end ]
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
  %loop3.c0 = phi <16 x double> [ splat (double 0x8000000000000000), %loop2.body ], [ %v35, %loop3.body ]
  %v28 = icmp slt i64 %loop3.i, %v27
  br i1 %v28, label %loop3.body, label %loop3.end
loop3.body:
  %v29 = add i64 %loop3.i, 512
  %v30 = getelementptr float, ptr %v19, i64 %v29
  %v31 = getelementptr i8, ptr %v30, i64 0
  call void @llvm.prefetch.p0(ptr %v31, i32 0, i32 3, i32 1)
  %v32 = getelementptr float, ptr %v19, i64 %loop3.i
  %v33 = load <16 x float>, ptr %v32, align 4
  %v34 = fpext <16 x float> %v33 to <16 x double>
  %v35 = fadd <16 x double> %loop3.c0, %v34
  %loop3.step = add nsw i64 %loop3.i, 16
  %loop3.next = call i64 @llvm.expect.i64(i64 %loop3.step, i64 0)
  br label %loop3
loop3.end:
  br label %loop4
loop4:
  %loop4.i = phi i64 [ %v27, %loop3.end ], [ %loop4.next, %loop4.body ]
  %loop4.c0 = phi <16 x double> [ %loop3.c0, %loop3.end ], [ %v52, %loop4.body ]
  %v36 = icmp slt i64 %loop4.i, %v24
  br i1 %v36, label %loop4.body, label %loop4.end
loop4.body:
  %v37 = sub i64 %v24, %loop4.i
  %v38 = icmp slt i64 %v37, 16
  %v39 = select i1 %v38, i64 %v37, i64 16
  %v40 = trunc i64 %v39 to i32
  %v41 = insertelement <16 x i32> poison, i32 %v40, i64 0
  %v42 = shufflevector <16 x i32> %v41, <16 x i32> poison, <16 x i32> zeroinitializer
  %v43 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v42
  %v44 = getelementptr float, ptr %v19, i64 %loop4.i
  %v45 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v44, i32 4, <16 x i1> %v43, <16 x float> zeroinitializer)
  %v46 = fpext <16 x float> %v45 to <16 x double>
  %v47 = trunc i64 %v39 to i32
  %v48 = insertelement <16 x i32> poison, i32 %v47, i64 0
  %v49 = shufflevector <16 x i32> %v48, <16 x i32> poison, <16 x i32> zeroinitializer
  %v50 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v49
  %v51 = select <16 x i1> %v50, <16 x double> %v46, <16 x double> splat (double 0x8000000000000000)
  %v52 = fadd <16 x double> %loop4.c0, %v51
  %loop4.step = add nsw i64 %loop4.i, 16
  %loop4.next = call i64 @llvm.expect.i64(i64 %loop4.step, i64 0)
  br label %loop4
loop4.end:
  %v53 = shufflevector <16 x double> %loop4.c0, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v54 = shufflevector <16 x double> %loop4.c0, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v55 = fadd <8 x double> %v53, %v54
  %v56 = shufflevector <8 x double> %v55, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v57 = shufflevector <8 x double> %v55, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v58 = fadd <4 x double> %v56, %v57
  %v59 = shufflevector <4 x double> %v58, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %v60 = shufflevector <4 x double> %v58, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %v61 = fadd <2 x double> %v59, %v60
  %v62 = shufflevector <2 x double> %v61, <2 x double> poison, <1 x i32> <i32 0>
  %v63 = shufflevector <2 x double> %v61, <2 x double> poison, <1 x i32> <i32 1>
  %v64 = extractelement <1 x double> %v62, i64 0
  %v65 = extractelement <1 x double> %v63, i64 0
  %v66 = fadd double %v64, %v65
  %v67 = fadd double %loop2.c0, %v66
  %loop2.step = add nsw i64 %loop2.i, 8192
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  %v68 = fptrunc double %loop2.c0 to float
  store float %v68, ptr %v20, align 4
  %loop1.step = add nsw i64 %loop1.i, 1
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
