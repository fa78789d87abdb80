declare <32 x float> @llvm.masked.load.v32f32.p0(ptr, i32, <32 x i1>, <32 x float>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @kernel(ptr noalias %args, i64 %begin, i64 %end) #0 {
entry:
  %memory0 = alloca [16416 x float], align 64
  %memory1 = alloca [32 x float], align 64
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
  %loop1.i = phi i64 [ %begin, %entry ], [ %loop1.next, %loop9.end ]
  %v17 = icmp slt i64 %loop1.i, %end
  br i1 %v17, label %loop1.body, label %loop1.end
loop1.body:
  %v18 = mul i64 %loop1.i, %v10
  %v19 = getelementptr float, ptr %v2, i64 %v18
  %v20 = mul i64 %loop1.i, %v14
  %v21 = getelementptr float, ptr %v4, i64 %v20
  br label %loop2
loop2:
  %loop2.i = phi i64 [ 0, %loop1.body ], [ %loop2.next, %loop4.end ]
  %loop2.c0 = phi float [ 0xFFF0000000000000, %loop1.body ], [ %v105, %loop4.end ]
  %v22 = icmp slt i64 %loop2.i, %v8
  br i1 %v22, label %loop2.body, label %loop2.end
loop2.body:
  %v23 = add i64 %loop2.i, 8192
  %v24 = icmp slt i64 %v8, %v23
  %v25 = select i1 %v24, i64 %v8, i64 %v23
  %v26 = sub i64 %v25, %loop2.i
  %v27 = and i64 %v26, -32
  %v28 = add i64 %loop2.i, %v27
  br label %loop3
loop3:
  %loop3.i = phi i64 [ %loop2.i, %loop2.body ], [ %loop3.next, %loop3.body ]
  %loop3.c0 = phi <16 x float> [ splat (float 0xFFF0000000000000), %loop2.body ], [ %v46, %loop3.body ]
  %v29 = icmp slt i64 %loop3.i, %v28
  br i1 %v29, label %loop3.body, label %loop3.end
loop3.body:
  %v30 = add i64 %loop3.i, 512
  %v31 = getelementptr float, ptr %v19, i64 %v30
  %v32 = getelementptr i8, ptr %v31, i64 0
  call void @llvm.prefetch.p0(ptr %v32, i32 0, i32 3, i32 1)
  %v33 = getelementptr i8, ptr %v31, i64 64
  call void @llvm.prefetch.p0(ptr %v33, i32 0, i32 3, i32 1)
  %v34 = getelementptr float, ptr %v19, i64 %loop3.i
  %v35 = getelementptr float, ptr %v21, i64 %loop3.i
  %v36 = load <32 x float>, ptr %v34, align 4
  %v37 = shufflevector <32 x float> %v36, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v38 = fcmp ogt <16 x float> %loop3.c0, %v37
  %v39 = fcmp uno <16 x float> %loop3.c0, %loop3.c0
  %v40 = or <16 x i1> %v38, %v39
  %v41 = select <16 x i1> %v40, <16 x float> %loop3.c0, <16 x float> %v37
  %v42 = shufflevector <32 x float> %v36, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v43 = fcmp ogt <16 x float> %v41, %v42
  %v44 = fcmp uno <16 x float> %v41, %v41
  %v45 = or <16 x i1> %v43, %v44
  %v46 = select <16 x i1> %v45, <16 x float> %v41, <16 x float> %v42
  %loop3.next = add nsw i64 %loop3.i, 32
  br label %loop3
loop3.end:
  br label %loop4
loop4:
  %loop4.i = phi i64 [ %v28, %loop3.end ], [ %loop4.next, %loop4.body ]
  %loop4.c0 = phi <16 x float> [ %loop3.c0, %loop3.end ], [ %v75, %loop4.body ]
  %v47 = icmp slt i64 %loop4.i, %v25
  br i1 %v47, label %loop4.body, label %loop4.end
loop4.body:
  %v48 = sub i64 %v25, %v28
  %v49 = trunc i64 %v48 to i32
  %v50 = insertelement <32 x i32> poison, i32 %v49, i64 0
  %v51 = shufflevector <32 x i32> %v50, <32 x i32> poison, <32 x i32> zeroinitializer
  %v52 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v51
  %v53 = getelementptr float, ptr %v19, i64 %loop4.i
  %v54 = getelementptr float, ptr %v21, i64 %loop4.i
  %v55 = call <32 x float> @llvm.masked.load.v32f32.p0(ptr %v53, i32 4, <32 x i1> %v52, <32 x float> zeroinitializer)
  %v56 = shufflevector <32 x float> %v55, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v57 = trunc i64 %v48 to i32
  %v58 = insertelement <16 x i32> poison, i32 %v57, i64 0
  %v59 = shufflevector <16 x i32> %v58, <16 x i32> poison, <16 x i32> zeroinitializer
  %v60 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v59
  %v61 = select <16 x i1> %v60, <16 x float> %v56, <16 x float> splat (float 0xFFF0000000000000)
  %v62 = fcmp ogt <16 x float> %loop4.c0, %v61
  %v63 = fcmp uno <16 x float> %loop4.c0, %loop4.c0
  %v64 = or <16 x i1> %v62, %v63
  %v65 = select <16 x i1> %v64, <16 x float> %loop4.c0, <16 x float> %v61
  %v66 = shufflevector <32 x float> %v55, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v67 = trunc i64 %v48 to i32
  %v68 = insertelement <16 x i32> poison, i32 %v67, i64 0
  %v69 = shufflevector <16 x i32> %v68, <16 x i32> poison, <16 x i32> zeroinitializer
  %v70 = icmp slt <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v69
  %v71 = select <16 x i1> %v70, <16 x float> %v66, <16 x float> splat (float 0xFFF0000000000000)
  %v72 = fcmp ogt <16 x float> %v65, %v71
  %v73 = fcmp uno <16 x float> %v65, %v65
  %v74 = or <16 x i1> %v72, %v73
  %v75 = select <16 x i1> %v74, <16 x float> %v65, <16 x float> %v71
  %loop4.next = add nsw i64 %loop4.i, 32
  br label %loop4
loop4.end:
  %v76 = shufflevector <16 x float> %loop4.c0, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v77 = shufflevector <16 x float> %loop4.c0, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v78 = fcmp ogt <8 x float> %v76, %v77
  %v79 = fcmp uno <8 x float> %v76, %v76
  %v80 = or <8 x i1> %v78, %v79
  %v81 = select <8 x i1> %v80, <8 x float> %v76, <8 x float> %v77
  %v82 = shufflevector <8 x float> %v81, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v83 = shufflevector <8 x float> %v81, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v84 = fcmp ogt <4 x float> %v82, %v83
  %v85 = fcmp uno <4 x float> %v82, %v82
  %v86 = or <4 x i1> %v84, %v85
  %v87 = select <4 x i1> %v86, <4 x float> %v82, <4 x float> %v83
  %v88 = shufflevector <4 x float> %v87, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v89 = shufflevector <4 x float> %v87, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v90 = fcmp ogt <2 x float> %v88, %v89
  %v91 = fcmp uno <2 x float> %v88, %v88
  %v92 = or <2 x i1> %v90, %v91
  %v93 = select <2 x i1> %v92, <2 x float> %v88, <2 x float> %v89
  %v94 = shufflevector <2 x float> %v93, <2 x float> poison, <1 x i32> <i32 0>
  %v95 = shufflevector <2 x float> %v93, <2 x float> poison, <1 x i32> <i32 1>
  %v96 = extractelement <1 x float> %v94, i64 0
  %v97 = extractelement <1 x float> %v95, i64 0
  %v98 = fcmp ogt float %v96, %v97
  %v99 = fcmp uno float %v96, %v96
  %v100 = or i1 %v98, %v99
  %v101 = select i1 %v100, float %v96, float %v97
  %v102 = fcmp ogt float %loop2.c0, %v101
  %v103 = fcmp uno float %loop2.c0, %loop2.c0
  %v104 = or i1 %v102, %v103
  %v105 = select i1 %v104, float %loop2.c0, float %v101
  %loop2.next = add nsw i64 %loop2.i, 8192
  br label %loop2
loop2.end:
  br label %loop5
loop5:
  %loop5.i = phi i64 [ 0, %loop2.end ], [ %loop5.next, %loop7.end ]
  %loop5.c0 = phi double [ 0x8000000000000000, %loop2.end ], [ %v246, %loop7.end ]
  %v106 = icmp slt i64 %loop5.i, %v8
  br i1 %v106, label %loop5.body, label %loop5.end
loop5.body:
  %v107 = add i64 %loop5.i, 8192
  %v108 = icmp slt i64 %v8, %v107
  %v109 = select i1 %v108, i64 %v8, i64 %v107
  %v110 = sub i64 %v109, %loop5.i
  %v111 = and i64 %v110, -32
  %v112 = add i64 %loop5.i, %v111
  br label %loop6
loop6:
  %loop6.i = phi i64 [ %loop5.i, %loop5.body ], [ %loop6.next, %loop6.body ]
  %loop6.c0 = phi <16 x double> [ splat (double 0x8000000000000000), %loop5.body ], [ %v166, %loop6.body ]
  %v113 = icmp slt i64 %loop6.i, %v112
  br i1 %v113, label %loop6.body, label %loop6.end
loop6.body:
  %v114 = add i64 %loop6.i, 512
  %v115 = getelementptr float, ptr %v19, i64 %v114
  %v116 = getelementptr i8, ptr %v115, i64 0
  call void @llvm.prefetch.p0(ptr %v116, i32 0, i32 3, i32 1)
  %v117 = getelementptr i8, ptr %v115, i64 64
  call void @llvm.prefetch.p0(ptr %v117, i32 0, i32 3, i32 1)
  %v118 = getelementptr float, ptr %v19, i64 %loop6.i
  %v119 = getelementptr float, ptr %v21, i64 %loop6.i
  %v120 = load <32 x float>, ptr %v118, align 4
  %v121 = insertelement <32 x float> poison, float %loop2.c0, i64 0
  %v122 = shufflevector <32 x float> %v121, <32 x float> poison, <32 x i32> zeroinitializer
  %v123 = fsub <32 x float> %v120, %v122
  %v124 = fcmp olt <32 x float> %v123, splat (float 0xC05A000000000000)
  %v125 = fcmp ogt <32 x float> %v123, splat (float 0x4056400000000000)
  %v126 = select <32 x i1> %v125, <32 x float> splat (float 0x4056400000000000), <32 x float> %v123
  %v127 = select <32 x i1> %v124, <32 x float> splat (float 0x0000000000000000), <32 x float> %v126
  %v128 = fmul <32 x float> %v127, splat (float 0x3FF7154760000000)
  %v129 = fadd <32 x float> %v128, splat (float 0x4168000000000000)
  %v130 = fsub <32 x float> %v129, splat (float 0x4168000000000000)
  %v131 = fmul <32 x float> %v130, splat (float 0x3FE62E4000000000)
  %v132 = fsub <32 x float> %v127, %v131
  %v133 = fmul <32 x float> %v130, splat (float 0x3EB7F7D1C0000000)
  %v134 = fsub <32 x float> %v132, %v133
  %v135 = fmul <32 x float> %v134, %v134
  %v136 = fmul <32 x float> %v134, %v134
  %v137 = fmul <32 x float> splat (float 0x3F56A25D00000000), %v136
  %v138 = fadd <32 x float> %v137, splat (float 0x3FA5558F00000000)
  %v139 = fmul <32 x float> %v138, %v136
  %v140 = fadd <32 x float> %v139, splat (float 0x3FDFFFFFC0000000)
  %v141 = fmul <32 x float> splat (float 0x3F81239E40000000), %v136
  %v142 = fadd <32 x float> %v141, splat (float 0x3FC5554920000000)
  %v143 = fmul <32 x float> %v134, %v142
  %v144 = fadd <32 x float> %v140, %v143
  %v145 = fmul <32 x float> %v135, %v144
  %v146 = fadd <32 x float> %v134, %v145
  %v147 = fadd <32 x float> splat (float 0x3FF0000000000000), %v146
  %v148 = bitcast <32 x float> %v129 to <32 x i32>
  %v149 = shl <32 x i32> %v148, splat (i32 22)
  %v150 = and <32 x i32> %v149, splat (i32 -8388608)
  %v151 = shl <32 x i32> %v148, splat (i32 23)
  %v152 = sub <32 x i32> %v151, %v150
  %v153 = add <32 x i32> %v150, splat (i32 1065353216)
  %v154 = bitcast <32 x i32> %v153 to <32 x float>
  %v155 = fmul <32 x float> %v147, %v154
  %v156 = add <32 x i32> %v152, splat (i32 1065353216)
  %v157 = bitcast <32 x i32> %v156 to <32 x float>
  %v158 = fmul <32 x float> %v155, %v157
  %v159 = select <32 x i1> %v124, <32 x float> splat (float 0x0000000000000000), <32 x float> %v158
  %v160 = getelementptr float, ptr %memory0, i64 %loop6.i
  store <32 x float> %v159, ptr %v160, align 4
  %v161 = shufflevector <32 x float> %v159, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v162 = fpext <16 x float> %v161 to <16 x double>
  %v163 = fadd <16 x double> %loop6.c0, %v162
  %v164 = shufflevector <32 x float> %v159, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v165 = fpext <16 x float> %v164 to <16 x double>
  %v166 = fadd <16 x double> %v163, %v165
  %loop6.next = add nsw i64 %loop6.i, 32
  br label %loop6
loop6.end:
  br label %loop7
loop7:
  %loop7.i = phi i64 [ %v112, %loop6.end ], [ %loop7.next, %loop7.body ]
  %loop7.c0 = phi <16 x double> [ %loop6.c0, %loop6.end ], [ %v231, %loop7.body ]
  %v167 = icmp slt i64 %loop7.i, %v109
  br i1 %v167, label %loop7.body, label %loop7.end
loop7.body:
  %v168 = sub i64 %v109, %v112
  %v169 = trunc i64 %v168 to i32
  %v170 = insertelement <32 x i32> poison, i32 %v169, i64 0
  %v171 = shufflevector <32 x i32> %v170, <32 x i32> poison, <32 x i32> zeroinitializer
  %v172 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v171
  %v173 = getelementptr float, ptr %v19, i64 %loop7.i
  %v174 = getelementptr float, ptr %v21, i64 %loop7.i
  %v175 = call <32 x float> @llvm.masked.load.v32f32.p0(ptr %v173, i32 4, <32 x i1> %v172, <32 x float> zeroinitializer)
  %v176 = insertelement <32 x float> poison, float %loop2.c0, i64 0
  %v177 = shufflevector <32 x float> %v176, <32 x float> poison, <32 x i32> zeroinitializer
  %v178 = fsub <32 x float> %v175, %v177
  %v179 = fcmp olt <32 x float> %v178, splat (float 0xC05A000000000000)
  %v180 = fcmp ogt <32 x float> %v178, splat (float 0x4056400000000000)
  %v181 = select <32 x i1> %v180, <32 x float> splat (float 0x4056400000000000), <32 x float> %v178
  %v182 = select <32 x i1> %v179, <32 x float> splat (float 0x0000000000000000), <32 x float> %v181
  %v183 = fmul <32 x float> %v182, splat (float 0x3FF7154760000000)
  %v184 = fadd <32 x float> %v183, splat (float 0x4168000000000000)
  %v185 = fsub <32 x float> %v184, splat (float 0x4168000000000000)
  %v186 = fmul <32 x float> %v185, splat (float 0x3FE62E4000000000)
  %v187 = fsub <32 x float> %v182, %v186
  %v188 = fmul <32 x float> %v185, splat (float 0x3EB7F7D1C0000000)
  %v189 = fsub <32 x float> %v187, %v188
  %v190 = fmul <32 x float> %v189, %v189
  %v191 = fmul <32 x float> %v189, %v189
  %v192 = fmul <32 x float> splat (float 0x3F56A25D00000000), %v191
  %v193 = fadd <32 x float> %v192, splat (float 0x3FA5558F00000000)
  %v194 = fmul <32 x float> %v193, %v191
  %v195 = fadd <32 x float> %v194, splat (float 0x3FDFFFFFC0000000)
  %v196 = fmul <32 x float> splat (float 0x3F81239E40000000), %v191
  %v197 = fadd <32 x float> %v196, splat (float 0x3FC5554920000000)
  %v198 = fmul <32 x float> %v189, %v197
  %v199 = fadd <32 x float> %v195, %v198
  %v200 = fmul <32 x float> %v190, %v199
  %v201 = fadd <32 x float> %v189, %v200
  %v202 = fadd <32 x float> splat (float 0x3FF0000000000000), %v201
  %v203 = bitcast <32 x float> %v184 to <32 x i32>
  %v204 = shl <32 x i32> %v203, splat (i32 22)
  %v205 = and <32 x i32> %v204, splat (i32 -8388608)
  %v206 = shl <32 x i32> %v203, splat (i32 23)
  %v207 = sub <32 x i32> %v206, %v205
  %v208 = add <32 x i32> %v205, splat (i32 1065353216)
  %v209 = bitcast <32 x i32> %v208 to <32 x float>
  %v210 = fmul <32 x float> %v202, %v209
  %v211 = add <32 x i32> %v207, splat (i32 1065353216)
  %v212 = bitcast <32 x i32> %v211 to <32 x float>
  %v213 = fmul <32 x float> %v210, %v212
  %v214 = select <32 x i1> %v179, <32 x float> splat (float 0x0000000000000000), <32 x float> %v213
  %v215 = getelementptr float, ptr %memory0, i64 %loop7.i
  store <32 x float> %v214, ptr %v215, align 4
  %v216 = shufflevector <32 x float> %v214, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v217 = fpext <16 x float> %v216 to <16 x double>
  %v218 = trunc i64 %v168 to i32
  %v219 = insertelement <16 x i32> poison, i32 %v218, i64 0
  %v220 = shufflevector <16 x i32> %v219, <16 x i32> poison, <16 x i32> zeroinitializer
  %v221 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v220
  %v222 = select <16 x i1> %v221, <16 x double> %v217, <16 x double> splat (double 0x8000000000000000)
  %v223 = fadd <16 x double> %loop7.c0, %v222
  %v224 = shufflevector <32 x float> %v214, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v225 = fpext <16 x float> %v224 to <16 x double>
  %v226 = trunc i64 %v168 to i32
  %v227 = insertelement <16 x i32> poison, i32 %v226, i64 0
  %v228 = shufflevector <16 x i32> %v227, <16 x i32> poison, <16 x i32> zeroinitializer
  %v229 = icmp slt <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v228
  %v230 = select <16 x i1> %v229, <16 x double> %v225, <16 x double> splat (double 0x8000000000000000)
  %v231 = fadd <16 x double> %v223, %v230
  %loop7.next = add nsw i64 %loop7.i, 32
  br label %loop7
loop7.end:
  %v232 = shufflevector <16 x double> %loop7.c0, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v233 = shufflevector <16 x double> %loop7.c0, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v234 = fadd <8 x double> %v232, %v233
  %v235 = shufflevector <8 x double> %v234, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v236 = shufflevector <8 x double> %v234, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v237 = fadd <4 x double> %v235, %v236
  %v238 = shufflevector <4 x double> %v237, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %v239 = shufflevector <4 x double> %v237, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %v240 = fadd <2 x double> %v238, %v239
  %v241 = shufflevector <2 x double> %v240, <2 x double> poison, <1 x i32> <i32 0>
  %v242 = shufflevector <2 x double> %v240, <2 x double> poison, <1 x i32> <i32 1>
  %v243 = extractelement <1 x double> %v241, i64 0
  %v244 = extractelement <1 x double> %v242, i64 0
  %v245 = fadd double %v243, %v244
  %v246 = fadd double %loop5.c0, %v245
  %loop5.next = add nsw i64 %loop5.i, 8192
  br label %loop5
loop5.end:
  %v247 = fptrunc double %loop5.c0 to float
  %v248 = sub i64 %v8, 0
  %v249 = and i64 %v248, -32
  %v250 = add i64 0, %v249
  br label %loop8
loop8:
  %loop8.i = phi i64 [ 0, %loop5.end ], [ %loop8.next, %loop8.body ]
  %v251 = icmp slt i64 %loop8.i, %v250
  br i1 %v251, label %loop8.body, label %loop8.end
loop8.body:
  %v252 = add i64 %v10, %loop8.i
  %v253 = getelementptr float, ptr %v19, i64 %v252
  %v254 = getelementptr i8, ptr %v253, i64 0
  call void @llvm.prefetch.p0(ptr %v254, i32 0, i32 3, i32 1)
  %v255 = getelementptr i8, ptr %v253, i64 64
  call void @llvm.prefetch.p0(ptr %v255, i32 0, i32 3, i32 1)
  %v256 = getelementptr float, ptr %v19, i64 %loop8.i
  %v257 = getelementptr float, ptr %v21, i64 %loop8.i
  %v258 = getelementptr float, ptr %memory0, i64 %loop8.i
  %v259 = load <32 x float>, ptr %v258, align 4
  %v260 = insertelement <32 x float> poison, float %v247, i64 0
  %v261 = shufflevector <32 x float> %v260, <32 x float> poison, <32 x i32> zeroinitializer
  %v262 = fdiv <32 x float> %v259, %v261
  store <32 x float> %v262, ptr %v257, align 4
  %loop8.next = add nsw i64 %loop8.i, 32
  br label %loop8
loop8.end:
  br label %loop9
loop9:
  %loop9.i = phi i64 [ %v250, %loop8.end ], [ %loop9.next, %loop10.end ]
  %v263 = icmp slt i64 %loop9.i, %v8
  br i1 %v263, label %loop9.body, label %loop9.end
loop9.body:
  %v264 = sub i64 %v8, %v250
  %v265 = trunc i64 %v264 to i32
  %v266 = insertelement <32 x i32> poison, i32 %v265, i64 0
  %v267 = shufflevector <32 x i32> %v266, <32 x i32> poison, <32 x i32> zeroinitializer
  %v268 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v267
  %v269 = getelementptr float, ptr %v19, i64 %loop9.i
  %v270 = getelementptr float, ptr %v21, i64 %loop9.i
  %v271 = getelementptr float, ptr %memory0, i64 %loop9.i
  %v272 = call <32 x float> @llvm.masked.load.v32f32.p0(ptr %v271, i32 4, <32 x i1> %v268, <32 x float> zeroinitializer)
  %v273 = insertelement <32 x float> poison, float %v247, i64 0
  %v274 = shufflevector <32 x float> %v273, <32 x float> poison, <32 x i32> zeroinitializer
  %v275 = fdiv <32 x float> %v272, %v274
  store <32 x float> %v275, ptr %memory1, align 64
  br label %loop10
loop10:
  %loop10.i = phi i64 [ 0, %loop9.body ], [ %loop10.next, %loop10.body ]
  %v276 = icmp slt i64 %loop10.i, %v264
  br i1 %v276, label %loop10.body, label %loop10.end
loop10.body:
  %v277 = getelementptr float, ptr %memory1, i64 %loop10.i
  %v278 = getelementptr float, ptr %v270, i64 %loop10.i
  %v279 = load float, ptr %v277
  store float %v279, ptr %v278
  %loop10.next = add nsw i64 %loop10.i, 1
  br label %loop10
loop10.end:
  %loop9.next = add nsw i64 %loop9.i, 32
  br label %loop9
loop9.end:
  %loop1.next = add nsw i64 %loop1.i, 1
  br label %loop1
loop1.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
