declare i64 @llvm.expect.i64(i64, i64)
define void @kernel(ptr noalias %args, i64 %begin, i64 %end) #0 {
entry:
  %memory0 = alloca [2048 x double], align 64
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
  %loop1.i = phi i64 [ %begin, %entry ], [ %loop1.next, %loop13.end ]
  %v17 = icmp slt i64 %loop1.i, %end
  br i1 %v17, label %loop1.body, label %loop1.end
loop1.body:
  %v18 = add i64 %loop1.i, 2048
  %v19 = icmp slt i64 %end, %v18
  %v20 = select i1 %v19, i64 %end, i64 %v18
  %v21 = sub i64 %v20, %loop1.i
  %v22 = and i64 %v21, -16
  %v23 = add i64 %loop1.i, %v22
  br label %loop2
loop2:
  %loop2.i = phi i64 [ %loop1.i, %loop1.body ], [ %loop2.next, %loop2.body ]
  %v24 = icmp slt i64 %loop2.i, %v23
  br i1 %v24, label %loop2.body, label %loop2.end
loop2.body:
  %v25 = sub i64 %loop2.i, %loop1.i
  %v26 = getelementptr double, ptr %memory0, i64 %v25
  store <16 x double> splat (double 0x8000000000000000), ptr %v26, align 8
  %loop2.step = add nsw i64 %loop2.i, 16
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  br label %loop3
loop3:
  %loop3.i = phi i64 [ %v23, %loop2.end ], [ %loop3.next, %loop3.body ]
  %v27 = icmp slt i64 %loop3.i, %v20
  br i1 %v27, label %loop3.body, label %loop3.end
loop3.body:
  %v28 = sub i64 %loop3.i, %loop1.i
  %v29 = getelementptr double, ptr %memory0, i64 %v28
  store double 0x8000000000000000, ptr %v29, align 8
  %loop3.step = add nsw i64 %loop3.i, 1
  %loop3.next = call i64 @llvm.expect.i64(i64 %loop3.step, i64 0)
  br label %loop3
loop3.end:
  br label %loop4
loop4:
  %loop4.i = phi i64 [ 0, %loop3.end ], [ %loop4.next, %loop9.end ]
  %v30 = icmp slt i64 %loop4.i, %v8
  br i1 %v30, label %loop4.body, label %loop4.end
loop4.body:
  %v31 = add i64 %loop4.i, 8192
  %v32 = icmp slt i64 %v8, %v31
  %v33 = select i1 %v32, i64 %v8, i64 %v31
  %v34 = sub i64 %v33, %loop4.i
  %v35 = and i64 %v34, -8
  %v36 = add i64 %loop4.i, %v35
  br label %loop5
loop5:
  %loop5.i = phi i64 [ %loop4.i, %loop4.body ], [ %loop5.next, %loop7.end ]
  %v37 = icmp slt i64 %loop5.i, %v36
  br i1 %v37, label %loop5.body, label %loop5.end
loop5.body:
  %v38 = and i64 %loop5.i, 15
  %v39 = add i64 %loop5.i, 0
  %v40 = mul i64 %v39, %v12
  %v41 = getelementptr float, ptr %v2, i64 %v40
  %v42 = add i64 %loop5.i, 1
  %v43 = mul i64 %v42, %v12
  %v44 = getelementptr float, ptr %v2, i64 %v43
  %v45 = add i64 %loop5.i, 2
  %v46 = mul i64 %v45, %v12
  %v47 = getelementptr float, ptr %v2, i64 %v46
  %v48 = add i64 %loop5.i, 3
  %v49 = mul i64 %v48, %v12
  %v50 = getelementptr float, ptr %v2, i64 %v49
  %v51 = add i64 %loop5.i, 4
  %v52 = mul i64 %v51, %v12
  %v53 = getelementptr float, ptr %v2, i64 %v52
  %v54 = add i64 %loop5.i, 5
  %v55 = mul i64 %v54, %v12
  %v56 = getelementptr float, ptr %v2, i64 %v55
  %v57 = add i64 %loop5.i, 6
  %v58 = mul i64 %v57, %v12
  %v59 = getelementptr float, ptr %v2, i64 %v58
  %v60 = add i64 %loop5.i, 7
  %v61 = mul i64 %v60, %v12
  %v62 = getelementptr float, ptr %v2, i64 %v61
  %v63 = sub i64 %v20, %loop1.i
  %v64 = and i64 %v63, -16
  %v65 = add i64 %loop1.i, %v64
  br label %loop6
loop6:
  %loop6.i = phi i64 [ %loop1.i, %loop5.body ], [ %loop6.next, %loop6.body ]
  %v66 = icmp slt i64 %loop6.i, %v65
  br i1 %v66, label %loop6.body, label %loop6.end
loop6.body:
  %v67 = getelementptr float, ptr %v2, i64 %loop6.i
  %v68 = getelementptr float, ptr %v4, i64 %loop6.i
  %v69 = sub i64 %loop6.i, %loop1.i
  %v70 = getelementptr double, ptr %memory0, i64 %v69
  %v71 = load <16 x double>, ptr %v70, align 8
  %v72 = getelementptr float, ptr %v41, i64 %loop6.i
  %v73 = getelementptr float, ptr %v4, i64 %loop6.i
  %v74 = load <16 x float>, ptr %v72, align 4
  %v75 = fpext <16 x float> %v74 to <16 x double>
  %v76 = fadd <16 x double> %v71, %v75
  %v77 = getelementptr float, ptr %v44, i64 %loop6.i
  %v78 = getelementptr float, ptr %v4, i64 %loop6.i
  %v79 = load <16 x float>, ptr %v77, align 4
  %v80 = fpext <16 x float> %v79 to <16 x double>
  %v81 = fadd <16 x double> %v76, %v80
  %v82 = getelementptr float, ptr %v47, i64 %loop6.i
  %v83 = getelementptr float, ptr %v4, i64 %loop6.i
  %v84 = load <16 x float>, ptr %v82, align 4
  %v85 = fpext <16 x float> %v84 to <16 x double>
  %v86 = fadd <16 x double> %v81, %v85
  %v87 = getelementptr float, ptr %v50, i64 %loop6.i
  %v88 = getelementptr float, ptr %v4, i64 %loop6.i
  %v89 = load <16 x float>, ptr %v87, align 4
  %v90 = fpext <16 x float> %v89 to <16 x double>
  %v91 = fadd <16 x double> %v86, %v90
  %v92 = getelementptr float, ptr %v53, i64 %loop6.i
  %v93 = getelementptr float, ptr %v4, i64 %loop6.i
  %v94 = load <16 x float>, ptr %v92, align 4
  %v95 = fpext <16 x float> %v94 to <16 x double>
  %v96 = fadd <16 x double> %v91, %v95
  %v97 = getelementptr float, ptr %v56, i64 %loop6.i
  %v98 = getelementptr float, ptr %v4, i64 %loop6.i
  %v99 = load <16 x float>, ptr %v97, align 4
  %v100 = fpext <16 x float> %v99 to <16 x double>
  %v101 = fadd <16 x double> %v96, %v100
  %v102 = getelementptr float, ptr %v59, i64 %loop6.i
  %v103 = getelementptr float, ptr %v4, i64 %loop6.i
  %v104 = load <16 x float>, ptr %v102, align 4
  %v105 = fpext <16 x float> %v104 to <16 x double>
  %v106 = fadd <16 x double> %v101, %v105
  %v107 = getelementptr float, ptr %v62, i64 %loop6.i
  %v108 = getelementptr float, ptr %v4, i64 %loop6.i
  %v109 = load <16 x float>, ptr %v107, align 4
  %v110 = fpext <16 x float> %v109 to <16 x double>
  %v111 = fadd <16 x double> %v106, %v110
  %v112 = sub i64 %loop6.i, %loop1.i
  %v113 = getelementptr double, ptr %memory0, i64 %v112
  store <16 x double> %v111, ptr %v113, align 8
  %loop6.step = add nsw i64 %loop6.i, 16
  %loop6.next = call i64 @llvm.expect.i64(i64 %loop6.step, i64 0)
  br label %loop6
loop6.end:
  br label %loop7
loop7:
  %loop7.i = phi i64 [ %v65, %loop6.end ], [ %loop7.next, %loop8.end ]
  %v114 = icmp slt i64 %loop7.i, %v20
  br i1 %v114, label %loop7.body, label %loop7.end
loop7.body:
  %v115 = getelementptr float, ptr %v2, i64 %loop7.i
  %v116 = getelementptr float, ptr %v4, i64 %loop7.i
  %v117 = sub i64 %loop7.i, %loop1.i
  %v118 = getelementptr double, ptr %memory0, i64 %v117
  %v119 = load double, ptr %v118, align 8
  %v120 = add i64 %loop5.i, 8
  br label %loop8
loop8:
  %loop8.i = phi i64 [ %loop5.i, %loop7.body ], [ %loop8.next, %loop8.body ]
  %loop8.c0 = phi double [ %v119, %loop7.body ], [ %v129, %loop8.body ]
  %v121 = icmp slt i64 %loop8.i, %v120
  br i1 %v121, label %loop8.body, label %loop8.end
loop8.body:
  %v122 = mul i64 %loop8.i, %v12
  %v123 = getelementptr float, ptr %v2, i64 %v122
  %v124 = getelementptr float, ptr %v123, i64 %loop7.i
  %v125 = getelementptr float, ptr %v4, i64 %loop7.i
  %v126 = sub i64 %loop8.i, %loop5.i
  %v127 = load float, ptr %v124, align 4
  %v128 = fpext float %v127 to double
  %v129 = fadd double %loop8.c0, %v128
  %loop8.step = add nsw i64 %loop8.i, 1
  %loop8.next = call i64 @llvm.expect.i64(i64 %loop8.step, i64 0)
  br label %loop8
loop8.end:
  %v130 = sub i64 %loop7.i, %loop1.i
  %v131 = getelementptr double, ptr %memory0, i64 %v130
  store double %loop8.c0, ptr %v131, align 8
  %loop7.step = add nsw i64 %loop7.i, 1
  %loop7.next = call i64 @llvm.expect.i64(i64 %loop7.step, i64 0)
  br label %loop7
loop7.end:
  %loop5.step = add nsw i64 %loop5.i, 8
  %loop5.next = call i64 @llvm.expect.i64(i64 %loop5.step, i64 0)
  br label %loop5
loop5.end:
  br label %loop9
loop9:
  %loop9.i = phi i64 [ %v36, %loop5.end ], [ %loop9.next, %loop11.end ]
  %v132 = icmp slt i64 %loop9.i, %v33
  br i1 %v132, label %loop9.body, label %loop9.end
loop9.body:
  %v133 = and i64 %loop9.i, 15
  %v134 = add i64 %loop9.i, 0
  %v135 = mul i64 %v134, %v12
  %v136 = getelementptr float, ptr %v2, i64 %v135
  %v137 = sub i64 %v20, %loop1.i
  %v138 = and i64 %v137, -16
  %v139 = add i64 %loop1.i, %v138
  br label %loop10
loop10:
  %loop10.i = phi i64 [ %loop1.i, %loop9.body ], [ %loop10.next, %loop10.body ]
  %v140 = icmp slt i64 %loop10.i, %v139
  br i1 %v140, label %loop10.body, label %loop10.end
loop10.body:
  %v141 = getelementptr float, ptr %v2, i64 %loop10.i
  %v142 = getelementptr float, ptr %v4, i64 %loop10.i
  %v143 = sub i64 %loop10.i, %loop1.i
  %v144 = getelementptr double, ptr %memory0, i64 %v143
  %v145 = load <16 x double>, ptr %v144, align 8
  %v146 = getelementptr float, ptr %v136, i64 %loop10.i
  %v147 = getelementptr float, ptr %v4, i64 %loop10.i
  %v148 = load <16 x float>, ptr %v146, align 4
  %v149 = fpext <16 x float> %v148 to <16 x double>
  %v150 = fadd <16 x double> %v145, %v149
  %v151 = sub i64 %loop10.i, %loop1.i
  %v152 = getelementptr double, ptr %memory0, i64 %v151
  store <16 x double> %v150, ptr %v152, align 8
  %loop10.step = add nsw i64 %loop10.i, 16
  %loop10.next = call i64 @llvm.expect.i64(i64 %loop10.step, i64 0)
  br label %loop10
loop10.end:
  br label %loop11
loop11:
  %loop11.i = phi i64 [ %v139, %loop10.end ], [ %loop11.next, %loop11.body ]
  %v153 = icmp slt i64 %loop11.i, %v20
  br i1 %v153, label %loop11.body, label %loop11.end
loop11.body:
  %v154 = getelementptr float, ptr %v2, i64 %loop11.i
  %v155 = getelementptr float, ptr %v4, i64 %loop11.i
  %v156 = sub i64 %loop11.i, %loop1.i
  %v157 = getelementptr double, ptr %memory0, i64 %v156
  %v158 = load double, ptr %v157, align 8
  %v159 = getelementptr float, ptr %v136, i64 %loop11.i
  %v160 = getelementptr float, ptr %v4, i64 %loop11.i
  %v161 = load float, ptr %v159, align 4
  %v162 = fpext float %v161 to double
  %v163 = fadd double %v158, %v162
  %v164 = sub i64 %loop11.i, %loop1.i
  %v165 = getelementptr double, ptr %memory0, i64 %v164
  store double %v163, ptr %v165, align 8
  %loop11.step = add nsw i64 %loop11.i, 1
  %loop11.next = call i64 @llvm.expect.i64(i64 %loop11.step, i64 0)
  br label %loop11
loop11.end:
  %loop9.step = add nsw i64 %loop9.i, 1
  %loop9.next = call i64 @llvm.expect.i64(i64 %loop9.step, i64 0)
  br label %loop9
loop9.end:
  %loop4.step = add nsw i64 %loop4.i, 8192
  %loop4.next = call i64 @llvm.expect.i64(i64 %loop4.step, i64 0)
  br label %loop4
loop4.end:
  %v166 = sub i64 %v20, %loop1.i
  %v167 = and i64 %v166, -16
  %v168 = add i64 %loop1.i, %v167
  br label %loop12
loop12:
  %loop12.i = phi i64 [ %loop1.i, %loop4.end ], [ %loop12.next, %loop12.body ]
  %v169 = icmp slt i64 %loop12.i, %v168
  br i1 %v169, label %loop12.body, label %loop12.end
loop12.body:
  %v170 = sub i64 %loop12.i, %loop1.i
  %v171 = getelementptr double, ptr %memory0, i64 %v170
  %v172 = load <16 x double>, ptr %v171, align 8
  %v173 = fptrunc <16 x double> %v172 to <16 x float>
  %v174 = getelementptr float, ptr %v2, i64 %loop12.i
  %v175 = getelementptr float, ptr %v4, i64 %loop12.i
  store <16 x float> %v173, ptr %v175, align 4
  %loop12.step = add nsw i64 %loop12.i, 16
  %loop12.next = call i64 @llvm.expect.i64(i64 %loop12.step, i64 0)
  br label %loop12
loop12.end:
  br label %loop13
loop13:
  %loop13.i = phi i64 [ %v168, %loop12.end ], [ %loop13.next, %loop13.body ]
  %v176 = icmp slt i64 %loop13.i, %v20
  br i1 %v176, label %loop13.body, label %loop13.end
loop13.body:
  %v177 = sub i64 %loop13.i, %loop1.i
  %v178 = getelementptr double, ptr %memory0, i64 %v177
  %v179 = load double, ptr %v178, align 8
  %v180 = fptrunc double %v179 to float
  %v181 = getelementptr float, ptr %v2, i64 %loop13.i
  %v182 = getelementptr float, ptr %v4, i64 %loop13.i
  store float %v180, ptr %v182, align 4
  %loop13.step = add nsw i64 %loop13.i, 1
  %loop13.next = call i64 @llvm.expect.i64(i64 %loop13.step, i64 0)
  br label %loop13
loop13.end:
  %loop1.step = add nsw i64 %loop1.i, 2048
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
