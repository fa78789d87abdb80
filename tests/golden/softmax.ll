declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>)
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
  %loop5.c0 = phi double [ 0x8000000000000000, %loop2.end ], [ %v228, %loop7.end ]
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
  %loop6.c0 = phi <16 x double> [ splat (double 0x8000000000000000), %loop5.body ], [ %v157, %loop6.body ]
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
  %v125 = xor <32 x i1> %v124, splat (i1 true)
  %v126 = fcmp ogt <32 x float> %v123, splat (float 0x4056400000000000)
  %v127 = select <32 x i1> %v126, <32 x float> splat (float 0x4056400000000000), <32 x float> %v123
  %v128 = select <32 x i1> %v125, <32 x float> %v127, <32 x float> splat (float 0x0000000000000000)
  %v129 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v128, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000000000000))
  %v130 = fsub <32 x float> %v129, splat (float 0x4168000000000000)
  %v131 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v130, <32 x float> splat (float 0xBFE62E4000000000), <32 x float> %v128)
  %v132 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v130, <32 x float> splat (float 0xBEB7F7D1C0000000), <32 x float> %v131)
  %v133 = call <32 x float> @llvm.fma.v32f32(<32 x float> splat (float 0x3F56A25D00000000), <32 x float> %v132, <32 x float> splat (float 0x3F81239E40000000))
  %v134 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v133, <32 x float> %v132, <32 x float> splat (float 0x3FA5558F00000000))
  %v135 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v134, <32 x float> %v132, <32 x float> splat (float 0x3FC5554920000000))
  %v136 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v135, <32 x float> %v132, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v137 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v136, <32 x float> %v132, <32 x float> splat (float 0x3FF0000000000000))
  %v138 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v137, <32 x float> %v132, <32 x float> splat (float 0x3FF0000000000000))
  %v139 = bitcast <32 x float> %v129 to <32 x i32>
  %v140 = shl <32 x i32> %v139, splat (i32 22)
  %v141 = and <32 x i32> %v140, splat (i32 -8388608)
  %v142 = shl <32 x i32> %v139, splat (i32 23)
  %v143 = sub <32 x i32> %v142, %v141
  %v144 = bitcast <32 x float> %v138 to <32 x i32>
  %v145 = add <32 x i32> %v144, %v141
  %v146 = bitcast <32 x i32> %v145 to <32 x float>
  %v147 = add <32 x i32> %v143, splat (i32 1065353216)
  %v148 = bitcast <32 x i32> %v147 to <32 x float>
  %v149 = fmul <32 x float> %v146, %v148
  %v150 = select <32 x i1> %v125, <32 x float> %v149, <32 x float> splat (float 0x0000000000000000)
  %v151 = getelementptr float, ptr %memory0, i64 %loop6.i
  store <32 x float> %v150, ptr %v151, align 4
  %v152 = shufflevector <32 x float> %v150, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v153 = fpext <16 x float> %v152 to <16 x double>
  %v154 = fadd <16 x double> %loop6.c0, %v153
  %v155 = shufflevector <32 x float> %v150, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v156 = fpext <16 x float> %v155 to <16 x double>
  %v157 = fadd <16 x double> %v154, %v156
  %loop6.next = add nsw i64 %loop6.i, 32
  br label %loop6
loop6.end:
  br label %loop7
loop7:
  %loop7.i = phi i64 [ %v112, %loop6.end ], [ %loop7.next, %loop7.body ]
  %loop7.c0 = phi <16 x double> [ %loop6.c0, %loop6.end ], [ %v213, %loop7.body ]
  %v158 = icmp slt i64 %loop7.i, %v109
  br i1 %v158, label %loop7.body, label %loop7.end
loop7.body:
  %v159 = sub i64 %v109, %v112
  %v160 = trunc i64 %v159 to i32
  %v161 = insertelement <32 x i32> poison, i32 %v160, i64 0
  %v162 = shufflevector <32 x i32> %v161, <32 x i32> poison, <32 x i32> zeroinitializer
  %v163 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v162
  %v164 = getelementptr float, ptr %v19, i64 %loop7.i
  %v165 = getelementptr float, ptr %v21, i64 %loop7.i
  %v166 = call <32 x float> @llvm.masked.load.v32f32.p0(ptr %v164, i32 4, <32 x i1> %v163, <32 x float> zeroinitializer)
  %v167 = insertelement <32 x float> poison, float %loop2.c0, i64 0
  %v168 = shufflevector <32 x float> %v167, <32 x float> poison, <32 x i32> zeroinitializer
  %v169 = fsub <32 x float> %v166, %v168
  %v170 = fcmp olt <32 x float> %v169, splat (float 0xC05A000000000000)
  %v171 = xor <32 x i1> %v170, splat (i1 true)
  %v172 = fcmp ogt <32 x float> %v169, splat (float 0x4056400000000000)
  %v173 = select <32 x i1> %v172, <32 x float> splat (float 0x4056400000000000), <32 x float> %v169
  %v174 = select <32 x i1> %v171, <32 x float> %v173, <32 x float> splat (float 0x0000000000000000)
  %v175 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v174, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000000000000))
  %v176 = fsub <32 x float> %v175, splat (float 0x4168000000000000)
  %v177 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v176, <32 x float> splat (float 0xBFE62E4000000000), <32 x float> %v174)
  %v178 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v176, <32 x float> splat (float 0xBEB7F7D1C0000000), <32 x float> %v177)
  %v179 = call <32 x float> @llvm.fma.v32f32(<32 x float> splat (float 0x3F56A25D00000000), <32 x float> %v178, <32 x float> splat (float 0x3F81239E40000000))
  %v180 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v179, <32 x float> %v178, <32 x float> splat (float 0x3FA5558F00000000))
  %v181 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v180, <32 x float> %v178, <32 x float> splat (float 0x3FC5554920000000))
  %v182 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v181, <32 x float> %v178, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v183 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v182, <32 x float> %v178, <32 x float> splat (float 0x3FF0000000000000))
  %v184 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v183, <32 x float> %v178, <32 x float> splat (float 0x3FF0000000000000))
  %v185 = bitcast <32 x float> %v175 to <32 x i32>
  %v186 = shl <32 x i32> %v185, splat (i32 22)
  %v187 = and <32 x i32> %v186, splat (i32 -8388608)
  %v188 = shl <32 x i32> %v185, splat (i32 23)
  %v189 = sub <32 x i32> %v188, %v187
  %v190 = bitcast <32 x float> %v184 to <32 x i32>
  %v191 = add <32 x i32> %v190, %v187
  %v192 = bitcast <32 x i32> %v191 to <32 x float>
  %v193 = add <32 x i32> %v189, splat (i32 1065353216)
  %v194 = bitcast <32 x i32> %v193 to <32 x float>
  %v195 = fmul <32 x float> %v192, %v194
  %v196 = select <32 x i1> %v171, <32 x float> %v195, <32 x float> splat (float 0x0000000000000000)
  %v197 = getelementptr float, ptr %memory0, i64 %loop7.i
  store <32 x float> %v196, ptr %v197, align 4
  %v198 = shufflevector <32 x float> %v196, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v199 = fpext <16 x float> %v198 to <16 x double>
  %v200 = trunc i64 %v159 to i32
  %v201 = insertelement <16 x i32> poison, i32 %v200, i64 0
  %v202 = shufflevector <16 x i32> %v201, <16 x i32> poison, <16 x i32> zeroinitializer
  %v203 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v202
  %v204 = select <16 x i1> %v203, <16 x double> %v199, <16 x double> splat (double 0x8000000000000000)
  %v205 = fadd <16 x double> %loop7.c0, %v204
  %v206 = shufflevector <32 x float> %v196, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v207 = fpext <16 x float> %v206 to <16 x double>
  %v208 = trunc i64 %v159 to i32
  %v209 = insertelement <16 x i32> poison, i32 %v208, i64 0
  %v210 = shufflevector <16 x i32> %v209, <16 x i32> poison, <16 x i32> zeroinitializer
  %v211 = icmp slt <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v210
  %v212 = select <16 x i1> %v211, <16 x double> %v207, <16 x double> splat (double 0x8000000000000000)
  %v213 = fadd <16 x double> %v205, %v212
  %loop7.next = add nsw i64 %loop7.i, 32
  br label %loop7
loop7.end:
  %v214 = shufflevector <16 x double> %loop7.c0, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v215 = shufflevector <16 x double> %loop7.c0, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v216 = fadd <8 x double> %v214, %v215
  %v217 = shufflevector <8 x double> %v216, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v218 = shufflevector <8 x double> %v216, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v219 = fadd <4 x double> %v217, %v218
  %v220 = shufflevector <4 x double> %v219, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %v221 = shufflevector <4 x double> %v219, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %v222 = fadd <2 x double> %v220, %v221
  %v223 = shufflevector <2 x double> %v222, <2 x double> poison, <1 x i32> <i32 0>
  %v224 = shufflevector <2 x double> %v222, <2 x double> poison, <1 x i32> <i32 1>
  %v225 = extractelement <1 x double> %v223, i64 0
  %v226 = extractelement <1 x double> %v224, i64 0
  %v227 = fadd double %v225, %v226
  %v228 = fadd double %loop5.c0, %v227
  %loop5.next = add nsw i64 %loop5.i, 8192
  br label %loop5
loop5.end:
  %v229 = fptrunc double %loop5.c0 to float
  %v230 = sub i64 %v8, 0
  %v231 = and i64 %v230, -32
  %v232 = add i64 0, %v231
  br label %loop8
loop8:
  %loop8.i = phi i64 [ 0, %loop5.end ], [ %loop8.next, %loop8.body ]
  %v233 = icmp slt i64 %loop8.i, %v232
  br i1 %v233, label %loop8.body, label %loop8.end
loop8.body:
  %v234 = add i64 %v10, %loop8.i
  %v235 = getelementptr float, ptr %v19, i64 %v234
  %v236 = getelementptr i8, ptr %v235, i64 0
  call void @llvm.prefetch.p0(ptr %v236, i32 0, i32 3, i32 1)
  %v237 = getelementptr i8, ptr %v235, i64 64
  call void @llvm.prefetch.p0(ptr %v237, i32 0, i32 3, i32 1)
  %v238 = getelementptr float, ptr %v19, i64 %loop8.i
  %v239 = getelementptr float, ptr %v21, i64 %loop8.i
  %v240 = getelementptr float, ptr %memory0, i64 %loop8.i
  %v241 = load <32 x float>, ptr %v240, align 4
  %v242 = insertelement <32 x float> poison, float %v229, i64 0
  %v243 = shufflevector <32 x float> %v242, <32 x float> poison, <32 x i32> zeroinitializer
  %v244 = fdiv <32 x float> %v241, %v243
  store <32 x float> %v244, ptr %v239, align 4
  %loop8.next = add nsw i64 %loop8.i, 32
  br label %loop8
loop8.end:
  br label %loop9
loop9:
  %loop9.i = phi i64 [ %v232, %loop8.end ], [ %loop9.next, %loop10.end ]
  %v245 = icmp slt i64 %loop9.i, %v8
  br i1 %v245, label %loop9.body, label %loop9.end
loop9.body:
  %v246 = sub i64 %v8, %v232
  %v247 = trunc i64 %v246 to i32
  %v248 = insertelement <32 x i32> poison, i32 %v247, i64 0
  %v249 = shufflevector <32 x i32> %v248, <32 x i32> poison, <32 x i32> zeroinitializer
  %v250 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v249
  %v251 = getelementptr float, ptr %v19, i64 %loop9.i
  %v252 = getelementptr float, ptr %v21, i64 %loop9.i
  %v253 = getelementptr float, ptr %memory0, i64 %loop9.i
  %v254 = call <32 x float> @llvm.masked.load.v32f32.p0(ptr %v253, i32 4, <32 x i1> %v250, <32 x float> zeroinitializer)
  %v255 = insertelement <32 x float> poison, float %v229, i64 0
  %v256 = shufflevector <32 x float> %v255, <32 x float> poison, <32 x i32> zeroinitializer
  %v257 = fdiv <32 x float> %v254, %v256
  store <32 x float> %v257, ptr %memory1, align 64
  br label %loop10
loop10:
  %loop10.i = phi i64 [ 0, %loop9.body ], [ %loop10.next, %loop10.body ]
  %v258 = icmp slt i64 %loop10.i, %v246
  br i1 %v258, label %loop10.body, label %loop10.end
loop10.body:
  %v259 = getelementptr float, ptr %memory1, i64 %loop10.i
  %v260 = getelementptr float, ptr %v252, i64 %loop10.i
  %v261 = load float, ptr %v259
  store float %v261, ptr %v260
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
