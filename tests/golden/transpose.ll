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
  %v24 = add i64 %loop1.i, 16
  %v25 = icmp slt i64 %v24, %v22
  %v26 = select i1 %v25, i64 %v24, i64 %v22
  br label %loop2
loop2:
  %loop2.i = phi i64 [ %begin, %loop1.body ], [ %loop2.next, %loop3.end ]
  %v27 = icmp slt i64 %loop2.i, %v19
  br i1 %v27, label %loop2.body, label %loop2.end
loop2.body:
  br label %loop3
loop3:
  %loop3.i = phi i64 [ %loop1.i, %loop2.body ], [ %loop3.next, %loop3.body ]
  %v28 = icmp slt i64 %loop3.i, %v26
  br i1 %v28, label %loop3.body, label %loop3.end
loop3.body:
  %v29 = getelementptr float, ptr %v2, i64 %loop2.i
  %v30 = mul i64 %loop2.i, %v14
  %v31 = getelementptr float, ptr %v4, i64 %v30
  %v32 = add i64 %loop2.i, 1
  %v33 = getelementptr float, ptr %v2, i64 %v32
  %v34 = mul i64 %v32, %v14
  %v35 = getelementptr float, ptr %v4, i64 %v34
  %v36 = add i64 %loop2.i, 2
  %v37 = getelementptr float, ptr %v2, i64 %v36
  %v38 = mul i64 %v36, %v14
  %v39 = getelementptr float, ptr %v4, i64 %v38
  %v40 = add i64 %loop2.i, 3
  %v41 = getelementptr float, ptr %v2, i64 %v40
  %v42 = mul i64 %v40, %v14
  %v43 = getelementptr float, ptr %v4, i64 %v42
  %v44 = add i64 %loop2.i, 4
  %v45 = getelementptr float, ptr %v2, i64 %v44
  %v46 = mul i64 %v44, %v14
  %v47 = getelementptr float, ptr %v4, i64 %v46
  %v48 = add i64 %loop2.i, 5
  %v49 = getelementptr float, ptr %v2, i64 %v48
  %v50 = mul i64 %v48, %v14
  %v51 = getelementptr float, ptr %v4, i64 %v50
  %v52 = add i64 %loop2.i, 6
  %v53 = getelementptr float, ptr %v2, i64 %v52
  %v54 = mul i64 %v52, %v14
  %v55 = getelementptr float, ptr %v4, i64 %v54
  %v56 = add i64 %loop2.i, 7
  %v57 = getelementptr float, ptr %v2, i64 %v56
  %v58 = mul i64 %v56, %v14
  %v59 = getelementptr float, ptr %v4, i64 %v58
  %v60 = add i64 %loop2.i, 8
  %v61 = getelementptr float, ptr %v2, i64 %v60
  %v62 = mul i64 %v60, %v14
  %v63 = getelementptr float, ptr %v4, i64 %v62
  %v64 = add i64 %loop2.i, 9
  %v65 = getelementptr float, ptr %v2, i64 %v64
  %v66 = mul i64 %v64, %v14
  %v67 = getelementptr float, ptr %v4, i64 %v66
  %v68 = add i64 %loop2.i, 10
  %v69 = getelementptr float, ptr %v2, i64 %v68
  %v70 = mul i64 %v68, %v14
  %v71 = getelementptr float, ptr %v4, i64 %v70
  %v72 = add i64 %loop2.i, 11
  %v73 = getelementptr float, ptr %v2, i64 %v72
  %v74 = mul i64 %v72, %v14
  %v75 = getelementptr float, ptr %v4, i64 %v74
  %v76 = add i64 %loop2.i, 12
  %v77 = getelementptr float, ptr %v2, i64 %v76
  %v78 = mul i64 %v76, %v14
  %v79 = getelementptr float, ptr %v4, i64 %v78
  %v80 = add i64 %loop2.i, 13
  %v81 = getelementptr float, ptr %v2, i64 %v80
  %v82 = mul i64 %v80, %v14
  %v83 = getelementptr float, ptr %v4, i64 %v82
  %v84 = add i64 %loop2.i, 14
  %v85 = getelementptr float, ptr %v2, i64 %v84
  %v86 = mul i64 %v84, %v14
  %v87 = getelementptr float, ptr %v4, i64 %v86
  %v88 = add i64 %loop2.i, 15
  %v89 = getelementptr float, ptr %v2, i64 %v88
  %v90 = mul i64 %v88, %v14
  %v91 = getelementptr float, ptr %v4, i64 %v90
  %v92 = mul i64 %loop3.i, %v12
  %v93 = getelementptr float, ptr %v29, i64 %v92
  %v94 = load <8 x float>, ptr %v93, align 4
  %v95 = getelementptr float, ptr %v93, i64 8
  %v96 = load <8 x float>, ptr %v95, align 4
  %v97 = getelementptr float, ptr %v93, i64 %v12
  %v98 = load <8 x float>, ptr %v97, align 4
  %v99 = getelementptr float, ptr %v97, i64 8
  %v100 = load <8 x float>, ptr %v99, align 4
  %v101 = getelementptr float, ptr %v97, i64 %v12
  %v102 = load <8 x float>, ptr %v101, align 4
  %v103 = getelementptr float, ptr %v101, i64 8
  %v104 = load <8 x float>, ptr %v103, align 4
  %v105 = getelementptr float, ptr %v101, i64 %v12
  %v106 = load <8 x float>, ptr %v105, align 4
  %v107 = getelementptr float, ptr %v105, i64 8
  %v108 = load <8 x float>, ptr %v107, align 4
  %v109 = getelementptr float, ptr %v105, i64 %v12
  %v110 = load <8 x float>, ptr %v109, align 4
  %v111 = getelementptr float, ptr %v109, i64 8
  %v112 = load <8 x float>, ptr %v111, align 4
  %v113 = getelementptr float, ptr %v109, i64 %v12
  %v114 = load <8 x float>, ptr %v113, align 4
  %v115 = getelementptr float, ptr %v113, i64 8
  %v116 = load <8 x float>, ptr %v115, align 4
  %v117 = getelementptr float, ptr %v113, i64 %v12
  %v118 = load <8 x float>, ptr %v117, align 4
  %v119 = getelementptr float, ptr %v117, i64 8
  %v120 = load <8 x float>, ptr %v119, align 4
  %v121 = getelementptr float, ptr %v117, i64 %v12
  %v122 = load <8 x float>, ptr %v121, align 4
  %v123 = getelementptr float, ptr %v121, i64 8
  %v124 = load <8 x float>, ptr %v123, align 4
  %v125 = shufflevector <8 x float> %v94, <8 x float> %v110, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v126 = shufflevector <8 x float> %v94, <8 x float> %v110, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v127 = shufflevector <8 x float> %v98, <8 x float> %v114, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v128 = shufflevector <8 x float> %v98, <8 x float> %v114, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v129 = shufflevector <8 x float> %v102, <8 x float> %v118, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v130 = shufflevector <8 x float> %v102, <8 x float> %v118, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v131 = shufflevector <8 x float> %v106, <8 x float> %v122, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v132 = shufflevector <8 x float> %v106, <8 x float> %v122, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v133 = shufflevector <8 x float> %v125, <8 x float> %v129, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v134 = shufflevector <8 x float> %v125, <8 x float> %v129, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v135 = shufflevector <8 x float> %v127, <8 x float> %v131, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v136 = shufflevector <8 x float> %v127, <8 x float> %v131, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v137 = shufflevector <8 x float> %v133, <8 x float> %v135, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v138 = shufflevector <8 x float> %v133, <8 x float> %v135, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v139 = shufflevector <8 x float> %v134, <8 x float> %v136, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v140 = shufflevector <8 x float> %v134, <8 x float> %v136, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v141 = shufflevector <8 x float> %v126, <8 x float> %v130, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v142 = shufflevector <8 x float> %v126, <8 x float> %v130, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v143 = shufflevector <8 x float> %v128, <8 x float> %v132, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v144 = shufflevector <8 x float> %v128, <8 x float> %v132, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v145 = shufflevector <8 x float> %v141, <8 x float> %v143, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v146 = shufflevector <8 x float> %v141, <8 x float> %v143, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v147 = shufflevector <8 x float> %v142, <8 x float> %v144, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v148 = shufflevector <8 x float> %v142, <8 x float> %v144, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v149 = shufflevector <8 x float> %v96, <8 x float> %v112, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v150 = shufflevector <8 x float> %v96, <8 x float> %v112, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v151 = shufflevector <8 x float> %v100, <8 x float> %v116, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v152 = shufflevector <8 x float> %v100, <8 x float> %v116, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v153 = shufflevector <8 x float> %v104, <8 x float> %v120, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v154 = shufflevector <8 x float> %v104, <8 x float> %v120, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v155 = shufflevector <8 x float> %v108, <8 x float> %v124, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v156 = shufflevector <8 x float> %v108, <8 x float> %v124, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v157 = shufflevector <8 x float> %v149, <8 x float> %v153, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v158 = shufflevector <8 x float> %v149, <8 x float> %v153, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v159 = shufflevector <8 x float> %v151, <8 x float> %v155, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v160 = shufflevector <8 x float> %v151, <8 x float> %v155, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v161 = shufflevector <8 x float> %v157, <8 x float> %v159, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v162 = shufflevector <8 x float> %v157, <8 x float> %v159, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v163 = shufflevector <8 x float> %v158, <8 x float> %v160, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v164 = shufflevector <8 x float> %v158, <8 x float> %v160, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v165 = shufflevector <8 x float> %v150, <8 x float> %v154, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v166 = shufflevector <8 x float> %v150, <8 x float> %v154, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v167 = shufflevector <8 x float> %v152, <8 x float> %v156, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v168 = shufflevector <8 x float> %v152, <8 x float> %v156, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v169 = shufflevector <8 x float> %v165, <8 x float> %v167, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v170 = shufflevector <8 x float> %v165, <8 x float> %v167, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v171 = shufflevector <8 x float> %v166, <8 x float> %v168, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v172 = shufflevector <8 x float> %v166, <8 x float> %v168, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v173 = getelementptr float, ptr %v121, i64 %v12
  %v174 = load <8 x float>, ptr %v173, align 4
  %v175 = getelementptr float, ptr %v173, i64 8
  %v176 = load <8 x float>, ptr %v175, align 4
  %v177 = getelementptr float, ptr %v173, i64 %v12
  %v178 = load <8 x float>, ptr %v177, align 4
  %v179 = getelementptr float, ptr %v177, i64 8
  %v180 = load <8 x float>, ptr %v179, align 4
  %v181 = getelementptr float, ptr %v177, i64 %v12
  %v182 = load <8 x float>, ptr %v181, align 4
  %v183 = getelementptr float, ptr %v181, i64 8
  %v184 = load <8 x float>, ptr %v183, align 4
  %v185 = getelementptr float, ptr %v181, i64 %v12
  %v186 = load <8 x float>, ptr %v185, align 4
  %v187 = getelementptr float, ptr %v185, i64 8
  %v188 = load <8 x float>, ptr %v187, align 4
  %v189 = getelementptr float, ptr %v185, i64 %v12
  %v190 = load <8 x float>, ptr %v189, align 4
  %v191 = getelementptr float, ptr %v189, i64 8
  %v192 = load <8 x float>, ptr %v191, align 4
  %v193 = getelementptr float, ptr %v189, i64 %v12
  %v194 = load <8 x float>, ptr %v193, align 4
  %v195 = getelementptr float, ptr %v193, i64 8
  %v196 = load <8 x float>, ptr %v195, align 4
  %v197 = getelementptr float, ptr %v193, i64 %v12
  %v198 = load <8 x float>, ptr %v197, align 4
  %v199 = getelementptr float, ptr %v197, i64 8
  %v200 = load <8 x float>, ptr %v199, align 4
  %v201 = getelementptr float, ptr %v197, i64 %v12
  %v202 = load <8 x float>, ptr %v201, align 4
  %v203 = getelementptr float, ptr %v201, i64 8
  %v204 = load <8 x float>, ptr %v203, align 4
  %v205 = shufflevector <8 x float> %v174, <8 x float> %v190, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v206 = shufflevector <8 x float> %v174, <8 x float> %v190, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v207 = shufflevector <8 x float> %v178, <8 x float> %v194, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v208 = shufflevector <8 x float> %v178, <8 x float> %v194, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v209 = shufflevector <8 x float> %v182, <8 x float> %v198, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v210 = shufflevector <8 x float> %v182, <8 x float> %v198, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v211 = shufflevector <8 x float> %v186, <8 x float> %v202, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v212 = shufflevector <8 x float> %v186, <8 x float> %v202, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v213 = shufflevector <8 x float> %v205, <8 x float> %v209, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v214 = shufflevector <8 x float> %v205, <8 x float> %v209, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v215 = shufflevector <8 x float> %v207, <8 x float> %v211, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v216 = shufflevector <8 x float> %v207, <8 x float> %v211, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v217 = shufflevector <8 x float> %v213, <8 x float> %v215, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v218 = shufflevector <8 x float> %v213, <8 x float> %v215, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v219 = shufflevector <8 x float> %v214, <8 x float> %v216, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v220 = shufflevector <8 x float> %v214, <8 x float> %v216, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v221 = shufflevector <8 x float> %v206, <8 x float> %v210, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v222 = shufflevector <8 x float> %v206, <8 x float> %v210, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v223 = shufflevector <8 x float> %v208, <8 x float> %v212, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v224 = shufflevector <8 x float> %v208, <8 x float> %v212, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v225 = shufflevector <8 x float> %v221, <8 x float> %v223, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v226 = shufflevector <8 x float> %v221, <8 x float> %v223, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v227 = shufflevector <8 x float> %v222, <8 x float> %v224, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v228 = shufflevector <8 x float> %v222, <8 x float> %v224, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v229 = shufflevector <8 x float> %v176, <8 x float> %v192, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v230 = shufflevector <8 x float> %v176, <8 x float> %v192, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v231 = shufflevector <8 x float> %v180, <8 x float> %v196, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v232 = shufflevector <8 x float> %v180, <8 x float> %v196, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v233 = shufflevector <8 x float> %v184, <8 x float> %v200, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v234 = shufflevector <8 x float> %v184, <8 x float> %v200, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v235 = shufflevector <8 x float> %v188, <8 x float> %v204, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v236 = shufflevector <8 x float> %v188, <8 x float> %v204, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v237 = shufflevector <8 x float> %v229, <8 x float> %v233, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v238 = shufflevector <8 x float> %v229, <8 x float> %v233, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v239 = shufflevector <8 x float> %v231, <8 x float> %v235, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v240 = shufflevector <8 x float> %v231, <8 x float> %v235, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v241 = shufflevector <8 x float> %v237, <8 x float> %v239, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v242 = shufflevector <8 x float> %v237, <8 x float> %v239, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v243 = shufflevector <8 x float> %v238, <8 x float> %v240, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v244 = shufflevector <8 x float> %v238, <8 x float> %v240, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v245 = shufflevector <8 x float> %v230, <8 x float> %v234, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v246 = shufflevector <8 x float> %v230, <8 x float> %v234, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v247 = shufflevector <8 x float> %v232, <8 x float> %v236, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v248 = shufflevector <8 x float> %v232, <8 x float> %v236, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v249 = shufflevector <8 x float> %v245, <8 x float> %v247, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v250 = shufflevector <8 x float> %v245, <8 x float> %v247, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v251 = shufflevector <8 x float> %v246, <8 x float> %v248, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v252 = shufflevector <8 x float> %v246, <8 x float> %v248, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v253 = shufflevector <8 x float> %v137, <8 x float> %v217, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v254 = shufflevector <8 x float> %v138, <8 x float> %v218, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v255 = shufflevector <8 x float> %v139, <8 x float> %v219, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v256 = shufflevector <8 x float> %v140, <8 x float> %v220, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v257 = shufflevector <8 x float> %v145, <8 x float> %v225, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v258 = shufflevector <8 x float> %v146, <8 x float> %v226, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v259 = shufflevector <8 x float> %v147, <8 x float> %v227, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v260 = shufflevector <8 x float> %v148, <8 x float> %v228, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v261 = shufflevector <8 x float> %v161, <8 x float> %v241, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v262 = shufflevector <8 x float> %v162, <8 x float> %v242, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v263 = shufflevector <8 x float> %v163, <8 x float> %v243, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v264 = shufflevector <8 x float> %v164, <8 x float> %v244, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v265 = shufflevector <8 x float> %v169, <8 x float> %v249, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v266 = shufflevector <8 x float> %v170, <8 x float> %v250, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v267 = shufflevector <8 x float> %v171, <8 x float> %v251, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v268 = shufflevector <8 x float> %v172, <8 x float> %v252, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v269 = getelementptr float, ptr %v93, i64 32
  %v270 = getelementptr i8, ptr %v269, i64 0
  call void @llvm.prefetch.p0(ptr %v270, i32 0, i32 3, i32 1)
  %v271 = getelementptr float, ptr %v269, i64 %v12
  %v272 = getelementptr i8, ptr %v271, i64 0
  call void @llvm.prefetch.p0(ptr %v272, i32 0, i32 3, i32 1)
  %v273 = getelementptr float, ptr %v271, i64 %v12
  %v274 = getelementptr i8, ptr %v273, i64 0
  call void @llvm.prefetch.p0(ptr %v274, i32 0, i32 3, i32 1)
  %v275 = getelementptr float, ptr %v273, i64 %v12
  %v276 = getelementptr i8, ptr %v275, i64 0
  call void @llvm.prefetch.p0(ptr %v276, i32 0, i32 3, i32 1)
  %v277 = getelementptr float, ptr %v275, i64 %v12
  %v278 = getelementptr i8, ptr %v277, i64 0
  call void @llvm.prefetch.p0(ptr %v278, i32 0, i32 3, i32 1)
  %v279 = getelementptr float, ptr %v277, i64 %v12
  %v280 = getelementptr i8, ptr %v279, i64 0
  call void @llvm.prefetch.p0(ptr %v280, i32 0, i32 3, i32 1)
  %v281 = getelementptr float, ptr %v279, i64 %v12
  %v282 = getelementptr i8, ptr %v281, i64 0
  call void @llvm.prefetch.p0(ptr %v282, i32 0, i32 3, i32 1)
  %v283 = getelementptr float, ptr %v281, i64 %v12
  %v284 = getelementptr i8, ptr %v283, i64 0
  call void @llvm.prefetch.p0(ptr %v284, i32 0, i32 3, i32 1)
  %v285 = getelementptr float, ptr %v283, i64 %v12
  %v286 = getelementptr i8, ptr %v285, i64 0
  call void @llvm.prefetch.p0(ptr %v286, i32 0, i32 3, i32 1)
  %v287 = getelementptr float, ptr %v285, i64 %v12
  %v288 = getelementptr i8, ptr %v287, i64 0
  call void @llvm.prefetch.p0(ptr %v288, i32 0, i32 3, i32 1)
  %v289 = getelementptr float, ptr %v287, i64 %v12
  %v290 = getelementptr i8, ptr %v289, i64 0
  call void @llvm.prefetch.p0(ptr %v290, i32 0, i32 3, i32 1)
  %v291 = getelementptr float, ptr %v289, i64 %v12
  %v292 = getelementptr i8, ptr %v291, i64 0
  call void @llvm.prefetch.p0(ptr %v292, i32 0, i32 3, i32 1)
  %v293 = getelementptr float, ptr %v291, i64 %v12
  %v294 = getelementptr i8, ptr %v293, i64 0
  call void @llvm.prefetch.p0(ptr %v294, i32 0, i32 3, i32 1)
  %v295 = getelementptr float, ptr %v293, i64 %v12
  %v296 = getelementptr i8, ptr %v295, i64 0
  call void @llvm.prefetch.p0(ptr %v296, i32 0, i32 3, i32 1)
  %v297 = getelementptr float, ptr %v295, i64 %v12
  %v298 = getelementptr i8, ptr %v297, i64 0
  call void @llvm.prefetch.p0(ptr %v298, i32 0, i32 3, i32 1)
  %v299 = getelementptr float, ptr %v297, i64 %v12
  %v300 = getelementptr i8, ptr %v299, i64 0
  call void @llvm.prefetch.p0(ptr %v300, i32 0, i32 3, i32 1)
  %v301 = mul i64 %loop3.i, %v12
  %v302 = getelementptr float, ptr %v29, i64 %v301
  %v303 = getelementptr float, ptr %v31, i64 %loop3.i
  %v304 = fneg <16 x float> %v253
  store <16 x float> %v304, ptr %v303, align 4
  %v305 = mul i64 %loop3.i, %v12
  %v306 = getelementptr float, ptr %v33, i64 %v305
  %v307 = getelementptr float, ptr %v35, i64 %loop3.i
  %v308 = fneg <16 x float> %v254
  store <16 x float> %v308, ptr %v307, align 4
  %v309 = mul i64 %loop3.i, %v12
  %v310 = getelementptr float, ptr %v37, i64 %v309
  %v311 = getelementptr float, ptr %v39, i64 %loop3.i
  %v312 = fneg <16 x float> %v255
  store <16 x float> %v312, ptr %v311, align 4
  %v313 = mul i64 %loop3.i, %v12
  %v314 = getelementptr float, ptr %v41, i64 %v313
  %v315 = getelementptr float, ptr %v43, i64 %loop3.i
  %v316 = fneg <16 x float> %v256
  store <16 x float> %v316, ptr %v315, align 4
  %v317 = mul i64 %loop3.i, %v12
  %v318 = getelementptr float, ptr %v45, i64 %v317
  %v319 = getelementptr float, ptr %v47, i64 %loop3.i
  %v320 = fneg <16 x float> %v257
  store <16 x float> %v320, ptr %v319, align 4
  %v321 = mul i64 %loop3.i, %v12
  %v322 = getelementptr float, ptr %v49, i64 %v321
  %v323 = getelementptr float, ptr %v51, i64 %loop3.i
  %v324 = fneg <16 x float> %v258
  store <16 x float> %v324, ptr %v323, align 4
  %v325 = mul i64 %loop3.i, %v12
  %v326 = getelementptr float, ptr %v53, i64 %v325
  %v327 = getelementptr float, ptr %v55, i64 %loop3.i
  %v328 = fneg <16 x float> %v259
  store <16 x float> %v328, ptr %v327, align 4
  %v329 = mul i64 %loop3.i, %v12
  %v330 = getelementptr float, ptr %v57, i64 %v329
  %v331 = getelementptr float, ptr %v59, i64 %loop3.i
  %v332 = fneg <16 x float> %v260
  store <16 x float> %v332, ptr %v331, align 4
  %v333 = mul i64 %loop3.i, %v12
  %v334 = getelementptr float, ptr %v61, i64 %v333
  %v335 = getelementptr float, ptr %v63, i64 %loop3.i
  %v336 = fneg <16 x float> %v261
  store <16 x float> %v336, ptr %v335, align 4
  %v337 = mul i64 %loop3.i, %v12
  %v338 = getelementptr float, ptr %v65, i64 %v337
  %v339 = getelementptr float, ptr %v67, i64 %loop3.i
  %v340 = fneg <16 x float> %v262
  store <16 x float> %v340, ptr %v339, align 4
  %v341 = mul i64 %loop3.i, %v12
  %v342 = getelementptr float, ptr %v69, i64 %v341
  %v343 = getelementptr float, ptr %v71, i64 %loop3.i
  %v344 = fneg <16 x float> %v263
  store <16 x float> %v344, ptr %v343, align 4
  %v345 = mul i64 %loop3.i, %v12
  %v346 = getelementptr float, ptr %v73, i64 %v345
  %v347 = getelementptr float, ptr %v75, i64 %loop3.i
  %v348 = fneg <16 x float> %v264
  store <16 x float> %v348, ptr %v347, align 4
  %v349 = mul i64 %loop3.i, %v12
  %v350 = getelementptr float, ptr %v77, i64 %v349
  %v351 = getelementptr float, ptr %v79, i64 %loop3.i
  %v352 = fneg <16 x float> %v265
  store <16 x float> %v352, ptr %v351, align 4
  %v353 = mul i64 %loop3.i, %v12
  %v354 = getelementptr float, ptr %v81, i64 %v353
  %v355 = getelementptr float, ptr %v83, i64 %loop3.i
  %v356 = fneg <16 x float> %v266
  store <16 x float> %v356, ptr %v355, align 4
  %v357 = mul i64 %loop3.i, %v12
  %v358 = getelementptr float, ptr %v85, i64 %v357
  %v359 = getelementptr float, ptr %v87, i64 %loop3.i
  %v360 = fneg <16 x float> %v267
  store <16 x float> %v360, ptr %v359, align 4
  %v361 = mul i64 %loop3.i, %v12
  %v362 = getelementptr float, ptr %v89, i64 %v361
  %v363 = getelementptr float, ptr %v91, i64 %loop3.i
  %v364 = fneg <16 x float> %v268
  store <16 x float> %v364, ptr %v363, align 4
  %loop3.step = add nsw i64 %loop3.i, 16
  %loop3.next = call i64 @llvm.expect.i64(i64 %loop3.step, i64 0)
  br label %loop3
loop3.end:
  %loop2.step = add nsw i64 %loop2.i, 16
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  %loop1.step = add nsw i64 %loop1.i, 16
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  br label %loop4
loop4:
  %loop4.i = phi i64 [ %begin, %loop1.end ], [ %loop4.next, %loop6.end ]
  %v365 = icmp slt i64 %loop4.i, %v19
  br i1 %v365, label %loop4.body, label %loop4.end
loop4.body:
  %v366 = getelementptr float, ptr %v2, i64 %loop4.i
  %v367 = mul i64 %loop4.i, %v14
  %v368 = getelementptr float, ptr %v4, i64 %v367
  %v369 = sub i64 %v8, %v22
  %v370 = and i64 %v369, -16
  %v371 = add i64 %v22, %v370
  br label %loop5
loop5:
  %loop5.i = phi i64 [ %v22, %loop4.body ], [ %loop5.next, %loop5.body ]
  %v372 = icmp slt i64 %loop5.i, %v371
  br i1 %v372, label %loop5.body, label %loop5.end
loop5.body:
  %v373 = mul i64 %loop5.i, %v12
  %v374 = getelementptr float, ptr %v366, i64 %v373
  %v375 = getelementptr float, ptr %v368, i64 %loop5.i
  %v376 = load float, ptr %v374, align 4
  %v377 = insertelement <16 x float> poison, float %v376, i64 0
  %v378 = getelementptr float, ptr %v374, i64 %v12
  %v379 = load float, ptr %v378, align 4
  %v380 = insertelement <16 x float> %v377, float %v379, i64 1
  %v381 = getelementptr float, ptr %v378, i64 %v12
  %v382 = load float, ptr %v381, align 4
  %v383 = insertelement <16 x float> %v380, float %v382, i64 2
  %v384 = getelementptr float, ptr %v381, i64 %v12
  %v385 = load float, ptr %v384, align 4
  %v386 = insertelement <16 x float> %v383, float %v385, i64 3
  %v387 = getelementptr float, ptr %v384, i64 %v12
  %v388 = load float, ptr %v387, align 4
  %v389 = insertelement <16 x float> %v386, float %v388, i64 4
  %v390 = getelementptr float, ptr %v387, i64 %v12
  %v391 = load float, ptr %v390, align 4
  %v392 = insertelement <16 x float> %v389, float %v391, i64 5
  %v393 = getelementptr float, ptr %v390, i64 %v12
  %v394 = load float, ptr %v393, align 4
  %v395 = insertelement <16 x float> %v392, float %v394, i64 6
  %v396 = getelementptr float, ptr %v393, i64 %v12
  %v397 = load float, ptr %v396, align 4
  %v398 = insertelement <16 x float> %v395, float %v397, i64 7
  %v399 = getelementptr float, ptr %v396, i64 %v12
  %v400 = load float, ptr %v399, align 4
  %v401 = insertelement <16 x float> %v398, float %v400, i64 8
  %v402 = getelementptr float, ptr %v399, i64 %v12
  %v403 = load float, ptr %v402, align 4
  %v404 = insertelement <16 x float> %v401, float %v403, i64 9
  %v405 = getelementptr float, ptr %v402, i64 %v12
  %v406 = load float, ptr %v405, align 4
  %v407 = insertelement <16 x float> %v404, float %v406, i64 10
  %v408 = getelementptr float, ptr %v405, i64 %v12
  %v409 = load float, ptr %v408, align 4
  %v410 = insertelement <16 x float> %v407, float %v409, i64 11
  %v411 = getelementptr float, ptr %v408, i64 %v12
  %v412 = load float, ptr %v411, align 4
  %v413 = insertelement <16 x float> %v410, float %v412, i64 12
  %v414 = getelementptr float, ptr %v411, i64 %v12
  %v415 = load float, ptr %v414, align 4
  %v416 = insertelement <16 x float> %v413, float %v415, i64 13
  %v417 = getelementptr float, ptr %v414, i64 %v12
  %v418 = load float, ptr %v417, align 4
  %v419 = insertelement <16 x float> %v416, float %v418, i64 14
  %v420 = getelementptr float, ptr %v417, i64 %v12
  %v421 = load float, ptr %v420, align 4
  %v422 = insertelement <16 x float> %v419, float %v421, i64 15
  %v423 = fneg <16 x float> %v422
  store <16 x float> %v423, ptr %v375, align 4
  %loop5.step = add nsw i64 %loop5.i, 16
  %loop5.next = call i64 @llvm.expect.i64(i64 %loop5.step, i64 0)
  br label %loop5
loop5.end:
  br label %loop6
loop6:
  %loop6.i = phi i64 [ %v371, %loop5.end ], [ %loop6.next, %loop6.body ]
  %v424 = icmp slt i64 %loop6.i, %v8
  br i1 %v424, label %loop6.body, label %loop6.end
loop6.body:
  %v425 = mul i64 %loop6.i, %v12
  %v426 = getelementptr float, ptr %v366, i64 %v425
  %v427 = getelementptr float, ptr %v368, i64 %loop6.i
  %v428 = load float, ptr %v426, align 4
  %v429 = fneg float %v428
  store float %v429, ptr %v427, align 4
  %v430 = sub i64 %loop6.i, %v371
  %loop6.step = add nsw i64 %loop6.i, 1
  %loop6.next = call i64 @llvm.expect.i64(i64 %loop6.step, i64 0)
  br label %loop6
loop6.end:
  %loop4.step = add nsw i64 %loop4.i, 1
  %loop4.next = call i64 @llvm.expect.i64(i64 %loop4.step, i64 0)
  br label %loop4
loop4.end:
  br label %loop7
loop7:
  %loop7.i = phi i64 [ %v19, %loop4.end ], [ %loop7.next, %loop9.end ]
  %v431 = icmp slt i64 %loop7.i, %end
  br i1 %v431, label %loop7.body, label %loop7.end
loop7.body:
  %v432 = getelementptr float, ptr %v2, i64 %loop7.i
  %v433 = mul i64 %loop7.i, %v14
  %v434 = getelementptr float, ptr %v4, i64 %v433
  %v435 = sub i64 %v8, 0
  %v436 = and i64 %v435, -16
  %v437 = add i64 0, %v436
  br label %loop8
loop8:
  %loop8.i = phi i64 [ 0, %loop7.body ], [ %loop8.next, %loop8.body ]
  %v438 = icmp slt i64 %loop8.i, %v437
  br i1 %v438, label %loop8.body, label %loop8.end
loop8.body:
  %v439 = mul i64 %loop8.i, %v12
  %v440 = getelementptr float, ptr %v432, i64 %v439
  %v441 = getelementptr float, ptr %v434, i64 %loop8.i
  %v442 = load float, ptr %v440, align 4
  %v443 = insertelement <16 x float> poison, float %v442, i64 0
  %v444 = getelementptr float, ptr %v440, i64 %v12
  %v445 = load float, ptr %v444, align 4
  %v446 = insertelement <16 x float> %v443, float %v445, i64 1
  %v447 = getelementptr float, ptr %v444, i64 %v12
  %v448 = load float, ptr %v447, align 4
  %v449 = insertelement <16 x float> %v446, float %v448, i64 2
  %v450 = getelementptr float, ptr %v447, i64 %v12
  %v451 = load float, ptr %v450, align 4
  %v452 = insertelement <16 x float> %v449, float %v451, i64 3
  %v453 = getelementptr float, ptr %v450, i64 %v12
  %v454 = load float, ptr %v453, align 4
  %v455 = insertelement <16 x float> %v452, float %v454, i64 4
  %v456 = getelementptr float, ptr %v453, i64 %v12
  %v457 = load float, ptr %v456, align 4
  %v458 = insertelement <16 x float> %v455, float %v457, i64 5
  %v459 = getelementptr float, ptr %v456, i64 %v12
  %v460 = load float, ptr %v459, align 4
  %v461 = insertelement <16 x float> %v458, float %v460, i64 6
  %v462 = getelementptr float, ptr %v459, i64 %v12
  %v463 = load float, ptr %v462, align 4
  %v464 = insertelement <16 x float> %v461, float %v463, i64 7
  %v465 = getelementptr float, ptr %v462, i64 %v12
  %v466 = load float, ptr %v465, align 4
  %v467 = insertelement <16 x float> %v464, float %v466, i64 8
  %v468 = getelementptr float, ptr %v465, i64 %v12
  %v469 = load float, ptr %v468, align 4
  %v470 = insertelement <16 x float> %v467, float %v469, i64 9
  %v471 = getelementptr float, ptr %v468, i64 %v12
  %v472 = load float, ptr %v471, align 4
  %v473 = insertelement <16 x float> %v470, float %v472, i64 10
  %v474 = getelementptr float, ptr %v471, i64 %v12
  %v475 = load float, ptr %v474, align 4
  %v476 = insertelement <16 x float> %v473, float %v475, i64 11
  %v477 = getelementptr float, ptr %v474, i64 %v12
  %v478 = load float, ptr %v477, align 4
  %v479 = insertelement <16 x float> %v476, float %v478, i64 12
  %v480 = getelementptr float, ptr %v477, i64 %v12
  %v481 = load float, ptr %v480, align 4
  %v482 = insertelement <16 x float> %v479, float %v481, i64 13
  %v483 = getelementptr float, ptr %v480, i64 %v12
  %v484 = load float, ptr %v483, align 4
  %v485 = insertelement <16 x float> %v482, float %v484, i64 14
  %v486 = getelementptr float, ptr %v483, i64 %v12
  %v487 = load float, ptr %v486, align 4
  %v488 = insertelement <16 x float> %v485, float %v487, i64 15
  %v489 = fneg <16 x float> %v488
  store <16 x float> %v489, ptr %v441, align 4
  %loop8.step = add nsw i64 %loop8.i, 16
  %loop8.next = call i64 @llvm.expect.i64(i64 %loop8.step, i64 0)
  br label %loop8
loop8.end:
  br label %loop9
loop9:
  %loop9.i = phi i64 [ %v437, %loop8.end ], [ %loop9.next, %loop9.body ]
  %v490 = icmp slt i64 %loop9.i, %v8
  br i1 %v490, label %loop9.body, label %loop9.end
loop9.body:
  %v491 = mul i64 %loop9.i, %v12
  %v492 = getelementptr float, ptr %v432, i64 %v491
  %v493 = getelementptr float, ptr %v434, i64 %loop9.i
  %v494 = load float, ptr %v492, align 4
  %v495 = fneg float %v494
  store float %v495, ptr %v493, align 4
  %v496 = sub i64 %loop9.i, %v437
  %loop9.step = add nsw i64 %loop9.i, 1
  %loop9.next = call i64 @llvm.expect.i64(i64 %loop9.step, i64 0)
  br label %loop9
loop9.end:
  %loop7.step = add nsw i64 %loop7.i, 1
  %loop7.next = call i64 @llvm.expect.i64(i64 %loop7.step, i64 0)
  br label %loop7
loop7.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
