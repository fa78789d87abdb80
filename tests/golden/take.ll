declare i64 @llvm.expect.i64(i64, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
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
  %v16 = load i64, ptr %v15, align 8
  %v17 = getelementptr i64, ptr %args, i64 8
  %v18 = load i64, ptr %v17, align 8
  %v19 = getelementptr i64, ptr %args, i64 9
  %v20 = load i64, ptr %v19, align 8
  %v21 = getelementptr i64, ptr %args, i64 10
  %v22 = load i64, ptr %v21, align 8
  %v23 = getelementptr i64, ptr %args, i64 11
  %v24 = getelementptr i64, ptr %args, i64 12
  %v25 = load i64, ptr %v24, align 8
  %v26 = getelementptr i64, ptr %args, i64 13
  %v27 = load i64, ptr %v26, align 8
  br label %loop1
loop1:
  %loop1.i = phi i64 [ %begin, %entry ], [ %loop1.next, %loop3.end ]
  %v28 = icmp slt i64 %loop1.i, %end
  br i1 %v28, label %loop1.body, label %loop1.end
loop1.body:
  %v29 = add i64 %end, -1
  %v30 = add i64 %loop1.i, 4
  %v31 = icmp slt i64 %v30, %v29
  %v32 = select i1 %v31, i64 %v30, i64 %v29
  %v33 = getelementptr i64, ptr %v2, i64 %v32
  %v34 = mul i64 %v32, %v20
  %v35 = getelementptr float, ptr %v6, i64 %v34
  %v36 = load i64, ptr %v33, align 8
  %v37 = ashr i64 %v36, 63
  %v38 = and i64 %v37, %v25
  %v39 = add i64 %v36, %v38
  %v40 = sub i64 %v25, 1
  %v41 = sub i64 %v40, %v39
  %v42 = or i64 %v39, %v41
  %v43 = icmp slt i64 %v42, 0
  br i1 %v43, label %outside.1, label %inside.2
outside.1:
  store i64 1, ptr %v23, align 8
  ret void
inside.2:
  %v44 = mul i64 %v39, %v27
  %v45 = getelementptr float, ptr %v4, i64 %v44
  %v46 = getelementptr i8, ptr %v45, i64 0
  call void @llvm.prefetch.p0(ptr %v46, i32 0, i32 3, i32 1)
  %v47 = getelementptr i8, ptr %v45, i64 64
  call void @llvm.prefetch.p0(ptr %v47, i32 0, i32 3, i32 1)
  %v48 = getelementptr i8, ptr %v45, i64 128
  call void @llvm.prefetch.p0(ptr %v48, i32 0, i32 3, i32 1)
  %v49 = getelementptr i8, ptr %v45, i64 192
  call void @llvm.prefetch.p0(ptr %v49, i32 0, i32 3, i32 1)
  %v50 = getelementptr i8, ptr %v45, i64 256
  call void @llvm.prefetch.p0(ptr %v50, i32 0, i32 3, i32 1)
  %v51 = getelementptr i8, ptr %v45, i64 320
  call void @llvm.prefetch.p0(ptr %v51, i32 0, i32 3, i32 1)
  %v52 = getelementptr i8, ptr %v45, i64 384
  call void @llvm.prefetch.p0(ptr %v52, i32 0, i32 3, i32 1)
  %v53 = getelementptr i8, ptr %v45, i64 448
  call void @llvm.prefetch.p0(ptr %v53, i32 0, i32 3, i32 1)
  %v54 = getelementptr i64, ptr %v2, i64 %loop1.i
  %v55 = mul i64 %loop1.i, %v20
  %v56 = getelementptr float, ptr %v6, i64 %v55
  %v57 = load i64, ptr %v54, align 8
  %v58 = ashr i64 %v57, 63
  %v59 = and i64 %v58, %v25
  %v60 = add i64 %v57, %v59
  %v61 = sub i64 %v25, 1
  %v62 = sub i64 %v61, %v60
  %v63 = or i64 %v60, %v62
  %v64 = icmp slt i64 %v63, 0
  br i1 %v64, label %outside.3, label %inside.4
outside.3:
  store i64 1, ptr %v23, align 8
  ret void
inside.4:
  %v65 = mul i64 %v60, %v27
  %v66 = sub i64 %v10, 0
  %v67 = and i64 %v66, -16
  %v68 = add i64 0, %v67
  br label %loop2
loop2:
  %loop2.i = phi i64 [ 0, %inside.4 ], [ %loop2.next, %loop2.body ]
  %v69 = icmp slt i64 %loop2.i, %v68
  br i1 %v69, label %loop2.body, label %loop2.end
loop2.body:
  %v70 = getelementptr float, ptr %v4, i64 %loop2.i
  %v71 = getelementptr float, ptr %v56, i64 %loop2.i
  %v72 = getelementptr float, ptr %v70, i64 %v65
  %v73 = load <16 x float>, ptr %v72, align 4
  store <16 x float> %v73, ptr %v71, align 4
  %loop2.step = add nsw i64 %loop2.i, 16
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  br label %loop3
loop3:
  %loop3.i = phi i64 [ %v68, %loop2.end ], [ %loop3.next, %loop3.body ]
  %v74 = icmp slt i64 %loop3.i, %v10
  br i1 %v74, label %loop3.body, label %loop3.end
loop3.body:
  %v75 = getelementptr float, ptr %v4, i64 %loop3.i
  %v76 = getelementptr float, ptr %v56, i64 %loop3.i
  %v77 = getelementptr float, ptr %v75, i64 %v65
  %v78 = load float, ptr %v77, align 4
  store float %v78, ptr %v76, align 4
  %v79 = sub i64 %loop3.i, %v68
  %loop3.step = add nsw i64 %loop3.i, 1
  %loop3.next = call i64 @llvm.expect.i64(i64 %loop3.step, i64 0)
  br label %loop3
loop3.end:
  %loop1.step = add nsw i64 %loop1.i, 1
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
