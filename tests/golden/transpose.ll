declare i64 @llvm.expect.i64(i64, i64)
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
  %v17 = sub i64 %end, %begin
  %v18 = and i64 %v17, -16
  %v19 = add i64 %begin, %v18
  %v20 = sub i64 %v8, 0
  %v21 = and i64 %v20, -16
  %v22 = add i64 0, %v21
  br label %loop1
loop1:
  %loop1.i = phi i64 [ 0, %entry ], [ %loop1.next, %loop2.end ]
  %v23 = icmp slt i64 %loop1.i, %v22
  br i1 %v23, label %loop1.body, label %loop1.end
loop1.body:
  br label %loop2
loop2:
  %loop2.i = phi i64 [ %begin, %loop1.body ], [ %loop2.next, %loop2.body ]
  %v24 = icmp slt i64 %loop2.i, %v19
  br i1 %v24, label %loop2.body, label %loop2.end
loop2.body:
  %v25 = getelementptr float, ptr %v2, i64 %loop2.i
  %v26 = mul i64 %loop2.i, %v14
  %v27 = getelementptr float, ptr %v4, i64 %v26
  %v28 = add i64 %loop2.i, 1
  %v29 = getelementptr float, ptr %v2, i64 %v28
  %v30 = mul i64 %v28, %v14
  %v31 = getelementptr float, ptr %v4, i64 %v30
  %v32 = add i64 %loop2.i, 2
  %v33 = getelementptr float, ptr %v2, i64 %v32
  %v34 = mul i64 %v32, %v14
  %v35 = getelementptr float, ptr %v4, i64 %v34
  %v36 = add i64 %loop2.i, 3
  %v37 = getelementptr float, ptr %v2, i64 %v36
  %v38 = mul i64 %v36, %v14
  %v39 = getelementptr float, ptr %v4, i64 %v38
  %v40 = add i64 %loop2.i, 4
  %v41 = getelementptr float, ptr %v2, i64 %v40
  %v42 = mul i64 %v40, %v14
  %v43 = getelementptr float, ptr %v4, i64 %v42
  %v44 = add i64 %loop2.i, 5
  %v45 = getelementptr float, ptr %v2, i64 %v44
  %v46 = mul i64 %v44, %v14
  %v47 = getelementptr float, ptr %v4, i64 %v46
  %v48 = add i64 %loop2.i, 6
  %v49 = getelementptr float, ptr %v2, i64 %v48
  %v50 = mul i64 %v48, %v14
  %v51 = getelementptr float, ptr %v4, i64 %v50
  %v52 = add i64 %loop2.i, 7
  %v53 = getelementptr float, ptr %v2, i64 %v52
  %v54 = mul i64 %v52, %v14
  %v55 = getelementptr float, ptr %v4, i64 %v54
  %v56 = mul i64 %loop1.i, %v12
  %v57 = getelementptr float, ptr %v25, i64 %v56
  %v58 = load <8 x float>, ptr %v57, align 4
  %v59 = getelementptr float, ptr %v57, i64 %v12
  %v60 = load <8 x float>, ptr %v59, align 4
  %v61 = getelementptr float, ptr %v59, i64 %v12
  %v62 = load <8 x float>, ptr %v61, align 4
  %v63 = getelementptr float, ptr %v61, i64 %v12
  %v64 = load <8 x float>, ptr %v63, align 4
  %v65 = getelementptr float, ptr %v63, i64 %v12
  %v66 = load <8 x float>, ptr %v65, align 4
  %v67 = getelementptr float, ptr %v65, i64 %v12
  %v68 = load <8 x float>, ptr %v67, align 4
  %v69 = getelementptr float, ptr %v67, i64 %v12
  %v70 = load <8 x float>, ptr %v69, align 4
  %v71 = getelementptr float, ptr %v69, i64 %v12
  %v72 = load <8 x float>, ptr %v71, align 4
  %v73 = shufflevector <8 x float> %v58, <8 x float> %v66, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v74 = shufflevector <8 x float> %v58, <8 x float> %v66, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v75 = shufflevector <8 x float> %v60, <8 x float> %v68, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v76 = shufflevector <8 x float> %v60, <8 x float> %v68, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v77 = shufflevector <8 x float> %v62, <8 x float> %v70, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v78 = shufflevector <8 x float> %v62, <8 x float> %v70, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v79 = shufflevector <8 x float> %v64, <8 x float> %v72, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v80 = shufflevector <8 x float> %v64, <8 x float> %v72, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v81 = shufflevector <8 x float> %v73, <8 x float> %v77, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v82 = shufflevector <8 x float> %v73, <8 x float> %v77, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v83 = shufflevector <8 x float> %v75, <8 x float> %v79, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v84 = shufflevector <8 x float> %v75, <8 x float> %v79, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v85 = shufflevector <8 x float> %v81, <8 x float> %v83, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v86 = shufflevector <8 x float> %v81, <8 x float> %v83, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v87 = shufflevector <8 x float> %v82, <8 x float> %v84, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v88 = shufflevector <8 x float> %v82, <8 x float> %v84, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v89 = shufflevector <8 x float> %v74, <8 x float> %v78, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v90 = shufflevector <8 x float> %v74, <8 x float> %v78, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v91 = shufflevector <8 x float> %v76, <8 x float> %v80, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v92 = shufflevector <8 x float> %v76, <8 x float> %v80, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v93 = shufflevector <8 x float> %v89, <8 x float> %v91, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v94 = shufflevector <8 x float> %v89, <8 x float> %v91, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v95 = shufflevector <8 x float> %v90, <8 x float> %v92, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v96 = shufflevector <8 x float> %v90, <8 x float> %v92, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v97 = getelementptr float, ptr %v71, i64 %v12
  %v98 = load <8 x float>, ptr %v97, align 4
  %v99 = getelementptr float, ptr %v97, i64 %v12
  %v100 = load <8 x float>, ptr %v99, align 4
  %v101 = getelementptr float, ptr %v99, i64 %v12
  %v102 = load <8 x float>, ptr %v101, align 4
  %v103 = getelementptr float, ptr %v101, i64 %v12
  %v104 = load <8 x float>, ptr %v103, align 4
  %v105 = getelementptr float, ptr %v103, i64 %v12
  %v106 = load <8 x float>, ptr %v105, align 4
  %v107 = getelementptr float, ptr %v105, i64 %v12
  %v108 = load <8 x float>, ptr %v107, align 4
  %v109 = getelementptr float, ptr %v107, i64 %v12
  %v110 = load <8 x float>, ptr %v109, align 4
  %v111 = getelementptr float, ptr %v109, i64 %v12
  %v112 = load <8 x float>, ptr %v111, align 4
  %v113 = shufflevector <8 x float> %v98, <8 x float> %v106, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v114 = shufflevector <8 x float> %v98, <8 x float> %v106, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v115 = shufflevector <8 x float> %v100, <8 x float> %v108, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v116 = shufflevector <8 x float> %v100, <8 x float> %v108, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v117 = shufflevector <8 x float> %v102, <8 x float> %v110, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v118 = shufflevector <8 x float> %v102, <8 x float> %v110, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v119 = shufflevector <8 x float> %v104, <8 x float> %v112, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v120 = shufflevector <8 x float> %v104, <8 x float> %v112, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v121 = shufflevector <8 x float> %v113, <8 x float> %v117, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v122 = shufflevector <8 x float> %v113, <8 x float> %v117, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v123 = shufflevector <8 x float> %v115, <8 x float> %v119, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v124 = shufflevector <8 x float> %v115, <8 x float> %v119, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v125 = shufflevector <8 x float> %v121, <8 x float> %v123, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v126 = shufflevector <8 x float> %v121, <8 x float> %v123, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v127 = shufflevector <8 x float> %v122, <8 x float> %v124, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v128 = shufflevector <8 x float> %v122, <8 x float> %v124, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v129 = shufflevector <8 x float> %v114, <8 x float> %v118, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v130 = shufflevector <8 x float> %v114, <8 x float> %v118, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v131 = shufflevector <8 x float> %v116, <8 x float> %v120, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v132 = shufflevector <8 x float> %v116, <8 x float> %v120, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v133 = shufflevector <8 x float> %v129, <8 x float> %v131, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v134 = shufflevector <8 x float> %v129, <8 x float> %v131, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v135 = shufflevector <8 x float> %v130, <8 x float> %v132, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v136 = shufflevector <8 x float> %v130, <8 x float> %v132, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v137 = shufflevector <8 x float> %v85, <8 x float> %v125, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v138 = shufflevector <8 x float> %v86, <8 x float> %v126, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v139 = shufflevector <8 x float> %v87, <8 x float> %v127, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v140 = shufflevector <8 x float> %v88, <8 x float> %v128, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v141 = shufflevector <8 x float> %v93, <8 x float> %v133, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v142 = shufflevector <8 x float> %v94, <8 x float> %v134, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v143 = shufflevector <8 x float> %v95, <8 x float> %v135, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v144 = shufflevector <8 x float> %v96, <8 x float> %v136, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v145 = mul i64 %loop1.i, %v12
  %v146 = getelementptr float, ptr %v25, i64 %v145
  %v147 = getelementptr float, ptr %v27, i64 %loop1.i
  %v148 = fneg <16 x float> %v137
  store <16 x float> %v148, ptr %v147, align 4
  %v149 = mul i64 %loop1.i, %v12
  %v150 = getelementptr float, ptr %v29, i64 %v149
  %v151 = getelementptr float, ptr %v31, i64 %loop1.i
  %v152 = fneg <16 x float> %v138
  store <16 x float> %v152, ptr %v151, align 4
  %v153 = mul i64 %loop1.i, %v12
  %v154 = getelementptr float, ptr %v33, i64 %v153
  %v155 = getelementptr float, ptr %v35, i64 %loop1.i
  %v156 = fneg <16 x float> %v139
  store <16 x float> %v156, ptr %v155, align 4
  %v157 = mul i64 %loop1.i, %v12
  %v158 = getelementptr float, ptr %v37, i64 %v157
  %v159 = getelementptr float, ptr %v39, i64 %loop1.i
  %v160 = fneg <16 x float> %v140
  store <16 x float> %v160, ptr %v159, align 4
  %v161 = mul i64 %loop1.i, %v12
  %v162 = getelementptr float, ptr %v41, i64 %v161
  %v163 = getelementptr float, ptr %v43, i64 %loop1.i
  %v164 = fneg <16 x float> %v141
  store <16 x float> %v164, ptr %v163, align 4
  %v165 = mul i64 %loop1.i, %v12
  %v166 = getelementptr float, ptr %v45, i64 %v165
  %v167 = getelementptr float, ptr %v47, i64 %loop1.i
  %v168 = fneg <16 x float> %v142
  store <16 x float> %v168, ptr %v167, align 4
  %v169 = mul i64 %loop1.i, %v12
  %v170 = getelementptr float, ptr %v49, i64 %v169
  %v171 = getelementptr float, ptr %v51, i64 %loop1.i
  %v172 = fneg <16 x float> %v143
  store <16 x float> %v172, ptr %v171, align 4
  %v173 = mul i64 %loop1.i, %v12
  %v174 = getelementptr float, ptr %v53, i64 %v173
  %v175 = getelementptr float, ptr %v55, i64 %loop1.i
  %v176 = fneg <16 x float> %v144
  store <16 x float> %v176, ptr %v175, align 4
  %v177 = add i64 %loop2.i, 8
  %v178 = getelementptr float, ptr %v2, i64 %v177
  %v179 = mul i64 %v177, %v14
  %v180 = getelementptr float, ptr %v4, i64 %v179
  %v181 = add i64 %v177, 1
  %v182 = getelementptr float, ptr %v2, i64 %v181
  %v183 = mul i64 %v181, %v14
  %v184 = getelementptr float, ptr %v4, i64 %v183
  %v185 = add i64 %v177, 2
  %v186 = getelementptr float, ptr %v2, i64 %v185
  %v187 = mul i64 %v185, %v14
  %v188 = getelementptr float, ptr %v4, i64 %v187
  %v189 = add i64 %v177, 3
  %v190 = getelementptr float, ptr %v2, i64 %v189
  %v191 = mul i64 %v189, %v14
  %v192 = getelementptr float, ptr %v4, i64 %v191
  %v193 = add i64 %v177, 4
  %v194 = getelementptr float, ptr %v2, i64 %v193
  %v195 = mul i64 %v193, %v14
  %v196 = getelementptr float, ptr %v4, i64 %v195
  %v197 = add i64 %v177, 5
  %v198 = getelementptr float, ptr %v2, i64 %v197
  %v199 = mul i64 %v197, %v14
  %v200 = getelementptr float, ptr %v4, i64 %v199
  %v201 = add i64 %v177, 6
  %v202 = getelementptr float, ptr %v2, i64 %v201
  %v203 = mul i64 %v201, %v14
  %v204 = getelementptr float, ptr %v4, i64 %v203
  %v205 = add i64 %v177, 7
  %v206 = getelementptr float, ptr %v2, i64 %v205
  %v207 = mul i64 %v205, %v14
  %v208 = getelementptr float, ptr %v4, i64 %v207
  %v209 = mul i64 %loop1.i, %v12
  %v210 = getelementptr float, ptr %v178, i64 %v209
  %v211 = load <8 x float>, ptr %v210, align 4
  %v212 = getelementptr float, ptr %v210, i64 %v12
  %v213 = load <8 x float>, ptr %v212, align 4
  %v214 = getelementptr float, ptr %v212, i64 %v12
  %v215 = load <8 x float>, ptr %v214, align 4
  %v216 = getelementptr float, ptr %v214, i64 %v12
  %v217 = load <8 x float>, ptr %v216, align 4
  %v218 = getelementptr float, ptr %v216, i64 %v12
  %v219 = load <8 x float>, ptr %v218, align 4
  %v220 = getelementptr float, ptr %v218, i64 %v12
  %v221 = load <8 x float>, ptr %v220, align 4
  %v222 = getelementptr float, ptr %v220, i64 %v12
  %v223 = load <8 x float>, ptr %v222, align 4
  %v224 = getelementptr float, ptr %v222, i64 %v12
  %v225 = load <8 x float>, ptr %v224, align 4
  %v226 = shufflevector <8 x float> %v211, <8 x float> %v219, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v227 = shufflevector <8 x float> %v211, <8 x float> %v219, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v228 = shufflevector <8 x float> %v213, <8 x float> %v221, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v229 = shufflevector <8 x float> %v213, <8 x float> %v221, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v230 = shufflevector <8 x float> %v215, <8 x float> %v223, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v231 = shufflevector <8 x float> %v215, <8 x float> %v223, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v232 = shufflevector <8 x float> %v217, <8 x float> %v225, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v233 = shufflevector <8 x float> %v217, <8 x float> %v225, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v234 = shufflevector <8 x float> %v226, <8 x float> %v230, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v235 = shufflevector <8 x float> %v226, <8 x float> %v230, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v236 = shufflevector <8 x float> %v228, <8 x float> %v232, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v237 = shufflevector <8 x float> %v228, <8 x float> %v232, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v238 = shufflevector <8 x float> %v234, <8 x float> %v236, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v239 = shufflevector <8 x float> %v234, <8 x float> %v236, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v240 = shufflevector <8 x float> %v235, <8 x float> %v237, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v241 = shufflevector <8 x float> %v235, <8 x float> %v237, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v242 = shufflevector <8 x float> %v227, <8 x float> %v231, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v243 = shufflevector <8 x float> %v227, <8 x float> %v231, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v244 = shufflevector <8 x float> %v229, <8 x float> %v233, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v245 = shufflevector <8 x float> %v229, <8 x float> %v233, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v246 = shufflevector <8 x float> %v242, <8 x float> %v244, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v247 = shufflevector <8 x float> %v242, <8 x float> %v244, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v248 = shufflevector <8 x float> %v243, <8 x float> %v245, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v249 = shufflevector <8 x float> %v243, <8 x float> %v245, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v250 = getelementptr float, ptr %v224, i64 %v12
  %v251 = load <8 x float>, ptr %v250, align 4
  %v252 = getelementptr float, ptr %v250, i64 %v12
  %v253 = load <8 x float>, ptr %v252, align 4
  %v254 = getelementptr float, ptr %v252, i64 %v12
  %v255 = load <8 x float>, ptr %v254, align 4
  %v256 = getelementptr float, ptr %v254, i64 %v12
  %v257 = load <8 x float>, ptr %v256, align 4
  %v258 = getelementptr float, ptr %v256, i64 %v12
  %v259 = load <8 x float>, ptr %v258, align 4
  %v260 = getelementptr float, ptr %v258, i64 %v12
  %v261 = load <8 x float>, ptr %v260, align 4
  %v262 = getelementptr float, ptr %v260, i64 %v12
  %v263 = load <8 x float>, ptr %v262, align 4
  %v264 = getelementptr float, ptr %v262, i64 %v12
  %v265 = load <8 x float>, ptr %v264, align 4
  %v266 = shufflevector <8 x float> %v251, <8 x float> %v259, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v267 = shufflevector <8 x float> %v251, <8 x float> %v259, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v268 = shufflevector <8 x float> %v253, <8 x float> %v261, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v269 = shufflevector <8 x float> %v253, <8 x float> %v261, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v270 = shufflevector <8 x float> %v255, <8 x float> %v263, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v271 = shufflevector <8 x float> %v255, <8 x float> %v263, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v272 = shufflevector <8 x float> %v257, <8 x float> %v265, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v273 = shufflevector <8 x float> %v257, <8 x float> %v265, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v274 = shufflevector <8 x float> %v266, <8 x float> %v270, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v275 = shufflevector <8 x float> %v266, <8 x float> %v270, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v276 = shufflevector <8 x float> %v268, <8 x float> %v272, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v277 = shufflevector <8 x float> %v268, <8 x float> %v272, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v278 = shufflevector <8 x float> %v274, <8 x float> %v276, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v279 = shufflevector <8 x float> %v274, <8 x float> %v276, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v280 = shufflevector <8 x float> %v275, <8 x float> %v277, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v281 = shufflevector <8 x float> %v275, <8 x float> %v277, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v282 = shufflevector <8 x float> %v267, <8 x float> %v271, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v283 = shufflevector <8 x float> %v267, <8 x float> %v271, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v284 = shufflevector <8 x float> %v269, <8 x float> %v273, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v285 = shufflevector <8 x float> %v269, <8 x float> %v273, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v286 = shufflevector <8 x float> %v282, <8 x float> %v284, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v287 = shufflevector <8 x float> %v282, <8 x float> %v284, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v288 = shufflevector <8 x float> %v283, <8 x float> %v285, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v289 = shufflevector <8 x float> %v283, <8 x float> %v285, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v290 = shufflevector <8 x float> %v238, <8 x float> %v278, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v291 = shufflevector <8 x float> %v239, <8 x float> %v279, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v292 = shufflevector <8 x float> %v240, <8 x float> %v280, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v293 = shufflevector <8 x float> %v241, <8 x float> %v281, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v294 = shufflevector <8 x float> %v246, <8 x float> %v286, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v295 = shufflevector <8 x float> %v247, <8 x float> %v287, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v296 = shufflevector <8 x float> %v248, <8 x float> %v288, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v297 = shufflevector <8 x float> %v249, <8 x float> %v289, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v298 = mul i64 %loop1.i, %v12
  %v299 = getelementptr float, ptr %v178, i64 %v298
  %v300 = getelementptr float, ptr %v180, i64 %loop1.i
  %v301 = fneg <16 x float> %v290
  store <16 x float> %v301, ptr %v300, align 4
  %v302 = mul i64 %loop1.i, %v12
  %v303 = getelementptr float, ptr %v182, i64 %v302
  %v304 = getelementptr float, ptr %v184, i64 %loop1.i
  %v305 = fneg <16 x float> %v291
  store <16 x float> %v305, ptr %v304, align 4
  %v306 = mul i64 %loop1.i, %v12
  %v307 = getelementptr float, ptr %v186, i64 %v306
  %v308 = getelementptr float, ptr %v188, i64 %loop1.i
  %v309 = fneg <16 x float> %v292
  store <16 x float> %v309, ptr %v308, align 4
  %v310 = mul i64 %loop1.i, %v12
  %v311 = getelementptr float, ptr %v190, i64 %v310
  %v312 = getelementptr float, ptr %v192, i64 %loop1.i
  %v313 = fneg <16 x float> %v293
  store <16 x float> %v313, ptr %v312, align 4
  %v314 = mul i64 %loop1.i, %v12
  %v315 = getelementptr float, ptr %v194, i64 %v314
  %v316 = getelementptr float, ptr %v196, i64 %loop1.i
  %v317 = fneg <16 x float> %v294
  store <16 x float> %v317, ptr %v316, align 4
  %v318 = mul i64 %loop1.i, %v12
  %v319 = getelementptr float, ptr %v198, i64 %v318
  %v320 = getelementptr float, ptr %v200, i64 %loop1.i
  %v321 = fneg <16 x float> %v295
  store <16 x float> %v321, ptr %v320, align 4
  %v322 = mul i64 %loop1.i, %v12
  %v323 = getelementptr float, ptr %v202, i64 %v322
  %v324 = getelementptr float, ptr %v204, i64 %loop1.i
  %v325 = fneg <16 x float> %v296
  store <16 x float> %v325, ptr %v324, align 4
  %v326 = mul i64 %loop1.i, %v12
  %v327 = getelementptr float, ptr %v206, i64 %v326
  %v328 = getelementptr float, ptr %v208, i64 %loop1.i
  %v329 = fneg <16 x float> %v297
  store <16 x float> %v329, ptr %v328, align 4
  %loop2.step = add nsw i64 %loop2.i, 16
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  %loop1.step = add nsw i64 %loop1.i, 16
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  br label %loop3
loop3:
  %loop3.i = phi i64 [ %begin, %loop1.end ], [ %loop3.next, %loop5.end ]
  %v330 = icmp slt i64 %loop3.i, %v19
  br i1 %v330, label %loop3.body, label %loop3.end
loop3.body:
  %v331 = getelementptr float, ptr %v2, i64 %loop3.i
  %v332 = mul i64 %loop3.i, %v14
  %v333 = getelementptr float, ptr %v4, i64 %v332
  %v334 = sub i64 %v8, %v22
  %v335 = and i64 %v334, -16
  %v336 = add i64 %v22, %v335
  br label %loop4
loop4:
  %loop4.i = phi i64 [ %v22, %loop3.body ], [ %loop4.next, %loop4.body ]
  %v337 = icmp slt i64 %loop4.i, %v336
  br i1 %v337, label %loop4.body, label %loop4.end
loop4.body:
  %v338 = mul i64 %loop4.i, %v12
  %v339 = getelementptr float, ptr %v331, i64 %v338
  %v340 = getelementptr float, ptr %v333, i64 %loop4.i
  %v341 = load float, ptr %v339, align 4
  %v342 = insertelement <16 x float> poison, float %v341, i64 0
  %v343 = getelementptr float, ptr %v339, i64 %v12
  %v344 = load float, ptr %v343, align 4
  %v345 = insertelement <16 x float> %v342, float %v344, i64 1
  %v346 = getelementptr float, ptr %v343, i64 %v12
  %v347 = load float, ptr %v346, align 4
  %v348 = insertelement <16 x float> %v345, float %v347, i64 2
  %v349 = getelementptr float, ptr %v346, i64 %v12
  %v350 = load float, ptr %v349, align 4
  %v351 = insertelement <16 x float> %v348, float %v350, i64 3
  %v352 = getelementptr float, ptr %v349, i64 %v12
  %v353 = load float, ptr %v352, align 4
  %v354 = insertelement <16 x float> %v351, float %v353, i64 4
  %v355 = getelementptr float, ptr %v352, i64 %v12
  %v356 = load float, ptr %v355, align 4
  %v357 = insertelement <16 x float> %v354, float %v356, i64 5
  %v358 = getelementptr float, ptr %v355, i64 %v12
  %v359 = load float, ptr %v358, align 4
  %v360 = insertelement <16 x float> %v357, float %v359, i64 6
  %v361 = getelementptr float, ptr %v358, i64 %v12
  %v362 = load float, ptr %v361, align 4
  %v363 = insertelement <16 x float> %v360, float %v362, i64 7
  %v364 = getelementptr float, ptr %v361, i64 %v12
  %v365 = load float, ptr %v364, align 4
  %v366 = insertelement <16 x float> %v363, float %v365, i64 8
  %v367 = getelementptr float, ptr %v364, i64 %v12
  %v368 = load float, ptr %v367, align 4
  %v369 = insertelement <16 x float> %v366, float %v368, i64 9
  %v370 = getelementptr float, ptr %v367, i64 %v12
  %v371 = load float, ptr %v370, align 4
  %v372 = insertelement <16 x float> %v369, float %v371, i64 10
  %v373 = getelementptr float, ptr %v370, i64 %v12
  %v374 = load float, ptr %v373, align 4
  %v375 = insertelement <16 x float> %v372, float %v374, i64 11
  %v376 = getelementptr float, ptr %v373, i64 %v12
  %v377 = load float, ptr %v376, align 4
  %v378 = insertelement <16 x float> %v375, float %v377, i64 12
  %v379 = getelementptr float, ptr %v376, i64 %v12
  %v380 = load float, ptr %v379, align 4
  %v381 = insertelement <16 x float> %v378, float %v380, i64 13
  %v382 = getelementptr float, ptr %v379, i64 %v12
  %v383 = load float, ptr %v382, align 4
  %v384 = insertelement <16 x float> %v381, float %v383, i64 14
  %v385 = getelementptr float, ptr %v382, i64 %v12
  %v386 = load float, ptr %v385, align 4
  %v387 = insertelement <16 x float> %v384, float %v386, i64 15
  %v388 = fneg <16 x float> %v387
  store <16 x float> %v388, ptr %v340, align 4
  %loop4.step = add nsw i64 %loop4.i, 16
  %loop4.next = call i64 @llvm.expect.i64(i64 %loop4.step, i64 0)
  br label %loop4
loop4.end:
  br label %loop5
loop5:
  %loop5.i = phi i64 [ %v336, %loop4.end ], [ %loop5.next, %loop5.body ]
  %v389 = icmp slt i64 %loop5.i, %v8
  br i1 %v389, label %loop5.body, label %loop5.end
loop5.body:
  %v390 = mul i64 %loop5.i, %v12
  %v391 = getelementptr float, ptr %v331, i64 %v390
  %v392 = getelementptr float, ptr %v333, i64 %loop5.i
  %v393 = load float, ptr %v391, align 4
  %v394 = fneg float %v393
  store float %v394, ptr %v392, align 4
  %v395 = sub i64 %loop5.i, %v336
  %loop5.step = add nsw i64 %loop5.i, 1
  %loop5.next = call i64 @llvm.expect.i64(i64 %loop5.step, i64 0)
  br label %loop5
loop5.end:
  %loop3.step = add nsw i64 %loop3.i, 1
  %loop3.next = call i64 @llvm.expect.i64(i64 %loop3.step, i64 0)
  br label %loop3
loop3.end:
  br label %loop6
loop6:
  %loop6.i = phi i64 [ %v19, %loop3.end ], [ %loop6.next, %loop8.end ]
  %v396 = icmp slt i64 %loop6.i, %end
  br i1 %v396, label %loop6.body, label %loop6.end
loop6.body:
  %v397 = getelementptr float, ptr %v2, i64 %loop6.i
  %v398 = mul i64 %loop6.i, %v14
  %v399 = getelementptr float, ptr %v4, i64 %v398
  %v400 = sub i64 %v8, 0
  %v401 = and i64 %v400, -16
  %v402 = add i64 0, %v401
  br label %loop7
loop7:
  %loop7.i = phi i64 [ 0, %loop6.body ], [ %loop7.next, %loop7.body ]
  %v403 = icmp slt i64 %loop7.i, %v402
  br i1 %v403, label %loop7.body, label %loop7.end
loop7.body:
  %v404 = mul i64 %loop7.i, %v12
  %v405 = getelementptr float, ptr %v397, i64 %v404
  %v406 = getelementptr float, ptr %v399, i64 %loop7.i
  %v407 = load float, ptr %v405, align 4
  %v408 = insertelement <16 x float> poison, float %v407, i64 0
  %v409 = getelementptr float, ptr %v405, i64 %v12
  %v410 = load float, ptr %v409, align 4
  %v411 = insertelement <16 x float> %v408, float %v410, i64 1
  %v412 = getelementptr float, ptr %v409, i64 %v12
  %v413 = load float, ptr %v412, align 4
  %v414 = insertelement <16 x float> %v411, float %v413, i64 2
  %v415 = getelementptr float, ptr %v412, i64 %v12
  %v416 = load float, ptr %v415, align 4
  %v417 = insertelement <16 x float> %v414, float %v416, i64 3
  %v418 = getelementptr float, ptr %v415, i64 %v12
  %v419 = load float, ptr %v418, align 4
  %v420 = insertelement <16 x float> %v417, float %v419, i64 4
  %v421 = getelementptr float, ptr %v418, i64 %v12
  %v422 = load float, ptr %v421, align 4
  %v423 = insertelement <16 x float> %v420, float %v422, i64 5
  %v424 = getelementptr float, ptr %v421, i64 %v12
  %v425 = load float, ptr %v424, align 4
  %v426 = insertelement <16 x float> %v423, float %v425, i64 6
  %v427 = getelementptr float, ptr %v424, i64 %v12
  %v428 = load float, ptr %v427, align 4
  %v429 = insertelement <16 x float> %v426, float %v428, i64 7
  %v430 = getelementptr float, ptr %v427, i64 %v12
  %v431 = load float, ptr %v430, align 4
  %v432 = insertelement <16 x float> %v429, float %v431, i64 8
  %v433 = getelementptr float, ptr %v430, i64 %v12
  %v434 = load float, ptr %v433, align 4
  %v435 = insertelement <16 x float> %v432, float %v434, i64 9
  %v436 = getelementptr float, ptr %v433, i64 %v12
  %v437 = load float, ptr %v436, align 4
  %v438 = insertelement <16 x float> %v435, float %v437, i64 10
  %v439 = getelementptr float, ptr %v436, i64 %v12
  %v440 = load float, ptr %v439, align 4
  %v441 = insertelement <16 x float> %v438, float %v440, i64 11
  %v442 = getelementptr float, ptr %v439, i64 %v12
  %v443 = load float, ptr %v442, align 4
  %v444 = insertelement <16 x float> %v441, float %v443, i64 12
  %v445 = getelementptr float, ptr %v442, i64 %v12
  %v446 = load float, ptr %v445, align 4
  %v447 = insertelement <16 x float> %v444, float %v446, i64 13
  %v448 = getelementptr float, ptr %v445, i64 %v12
  %v449 = load float, ptr %v448, align 4
  %v450 = insertelement <16 x float> %v447, float %v449, i64 14
  %v451 = getelementptr float, ptr %v448, i64 %v12
  %v452 = load float, ptr %v451, align 4
  %v453 = insertelement <16 x float> %v450, float %v452, i64 15
  %v454 = fneg <16 x float> %v453
  store <16 x float> %v454, ptr %v406, align 4
  %loop7.step = add nsw i64 %loop7.i, 16
  %loop7.next = call i64 @llvm.expect.i64(i64 %loop7.step, i64 0)
  br label %loop7
loop7.end:
  br label %loop8
loop8:
  %loop8.i = phi i64 [ %v402, %loop7.end ], [ %loop8.next, %loop8.body ]
  %v455 = icmp slt i64 %loop8.i, %v8
  br i1 %v455, label %loop8.body, label %loop8.end
loop8.body:
  %v456 = mul i64 %loop8.i, %v12
  %v457 = getelementptr float, ptr %v397, i64 %v456
  %v458 = getelementptr float, ptr %v399, i64 %loop8.i
  %v459 = load float, ptr %v457, align 4
  %v460 = fneg float %v459
  store float %v460, ptr %v458, align 4
  %v461 = sub i64 %loop8.i, %v402
  %loop8.step = add nsw i64 %loop8.i, 1
  %loop8.next = call i64 @llvm.expect.i64(i64 %loop8.step, i64 0)
  br label %loop8
loop8.end:
  %loop6.step = add nsw i64 %loop6.i, 1
  %loop6.next = call i64 @llvm.expect.i64(i64 %loop6.step, i64 0)
  br label %loop6
loop6.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
