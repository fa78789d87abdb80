declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)
declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>)
declare i64 @llvm.expect.i64(i64, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @kernel(ptr noalias %args, i64 %begin, i64 %end) #0 {
entry:
  %memory0 = alloca [16416 x float], align 64
  %memory1 = alloca [16 x float], align 64
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
  %loop2.c0 = phi float [ 0xFFF0000000000000, %loop1.body ], [ %v108, %loop4.end ]
  %v22 = icmp slt i64 %loop2.i, %v8
  br i1 %v22, label %loop2.body, label %loop2.end
loop2.body:
  %v23 = add i64 %loop2.i, 8192
  %v24 = icmp slt i64 %v8, %v23
  %v25 = select i1 %v24, i64 %v8, i64 %v23
  %v26 = sub i64 %v25, %loop2.i
  %v27 = and i64 %v26, -64
  %v28 = add i64 %loop2.i, %v27
  br label %loop3
loop3:
  %loop3.i = phi i64 [ %loop2.i, %loop2.body ], [ %loop3.next, %loop3.body ]
  %loop3.c0 = phi <16 x float> [ splat (float 0xFFF0000000000000), %loop2.body ], [ %v58, %loop3.body ]
  %v29 = icmp slt i64 %loop3.i, %v28
  br i1 %v29, label %loop3.body, label %loop3.end
loop3.body:
  %v30 = add i64 %loop3.i, 512
  %v31 = getelementptr float, ptr %v19, i64 %v30
  %v32 = getelementptr i8, ptr %v31, i64 0
  call void @llvm.prefetch.p0(ptr %v32, i32 0, i32 3, i32 1)
  %v33 = getelementptr i8, ptr %v31, i64 64
  call void @llvm.prefetch.p0(ptr %v33, i32 0, i32 3, i32 1)
  %v34 = getelementptr i8, ptr %v31, i64 128
  call void @llvm.prefetch.p0(ptr %v34, i32 0, i32 3, i32 1)
  %v35 = getelementptr i8, ptr %v31, i64 192
  call void @llvm.prefetch.p0(ptr %v35, i32 0, i32 3, i32 1)
  %v36 = getelementptr float, ptr %v19, i64 %loop3.i
  %v37 = getelementptr float, ptr %v21, i64 %loop3.i
  %v38 = load <64 x float>, ptr %v36, align 4
  %v39 = shufflevector <64 x float> %v38, <64 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v40 = shufflevector <64 x float> %v38, <64 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v41 = shufflevector <64 x float> %v38, <64 x float> poison, <16 x i32> <i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47>
  %v42 = shufflevector <64 x float> %v38, <64 x float> poison, <16 x i32> <i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>
  %v43 = fcmp ogt <16 x float> %v39, %v40
  %v44 = fcmp uno <16 x float> %v39, %v39
  %v45 = or <16 x i1> %v43, %v44
  %v46 = select <16 x i1> %v45, <16 x float> %v39, <16 x float> %v40
  %v47 = fcmp ogt <16 x float> %v41, %v42
  %v48 = fcmp uno <16 x float> %v41, %v41
  %v49 = or <16 x i1> %v47, %v48
  %v50 = select <16 x i1> %v49, <16 x float> %v41, <16 x float> %v42
  %v51 = fcmp ogt <16 x float> %v46, %v50
  %v52 = fcmp uno <16 x float> %v46, %v46
  %v53 = or <16 x i1> %v51, %v52
  %v54 = select <16 x i1> %v53, <16 x float> %v46, <16 x float> %v50
  %v55 = fcmp ogt <16 x float> %loop3.c0, %v54
  %v56 = fcmp uno <16 x float> %loop3.c0, %loop3.c0
  %v57 = or <16 x i1> %v55, %v56
  %v58 = select <16 x i1> %v57, <16 x float> %loop3.c0, <16 x float> %v54
  %loop3.step = add nsw i64 %loop3.i, 64
  %loop3.next = call i64 @llvm.expect.i64(i64 %loop3.step, i64 0)
  br label %loop3
loop3.end:
  br label %loop4
loop4:
  %loop4.i = phi i64 [ %v28, %loop3.end ], [ %loop4.next, %loop4.body ]
  %loop4.c0 = phi <16 x float> [ %loop3.c0, %loop3.end ], [ %v78, %loop4.body ]
  %v59 = icmp slt i64 %loop4.i, %v25
  br i1 %v59, label %loop4.body, label %loop4.end
loop4.body:
  %v60 = sub i64 %v25, %loop4.i
  %v61 = icmp slt i64 %v60, 16
  %v62 = select i1 %v61, i64 %v60, i64 16
  %v63 = trunc i64 %v62 to i32
  %v64 = insertelement <16 x i32> poison, i32 %v63, i64 0
  %v65 = shufflevector <16 x i32> %v64, <16 x i32> poison, <16 x i32> zeroinitializer
  %v66 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v65
  %v67 = getelementptr float, ptr %v19, i64 %loop4.i
  %v68 = getelementptr float, ptr %v21, i64 %loop4.i
  %v69 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v67, i32 4, <16 x i1> %v66, <16 x float> zeroinitializer)
  %v70 = trunc i64 %v62 to i32
  %v71 = insertelement <16 x i32> poison, i32 %v70, i64 0
  %v72 = shufflevector <16 x i32> %v71, <16 x i32> poison, <16 x i32> zeroinitializer
  %v73 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v72
  %v74 = select <16 x i1> %v73, <16 x float> %v69, <16 x float> splat (float 0xFFF0000000000000)
  %v75 = fcmp ogt <16 x float> %loop4.c0, %v74
  %v76 = fcmp uno <16 x float> %loop4.c0, %loop4.c0
  %v77 = or <16 x i1> %v75, %v76
  %v78 = select <16 x i1> %v77, <16 x float> %loop4.c0, <16 x float> %v74
  %loop4.step = add nsw i64 %loop4.i, 16
  %loop4.next = call i64 @llvm.expect.i64(i64 %loop4.step, i64 0)
  br label %loop4
loop4.end:
  %v79 = shufflevector <16 x float> %loop4.c0, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v80 = shufflevector <16 x float> %loop4.c0, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v81 = fcmp ogt <8 x float> %v79, %v80
  %v82 = fcmp uno <8 x float> %v79, %v79
  %v83 = or <8 x i1> %v81, %v82
  %v84 = select <8 x i1> %v83, <8 x float> %v79, <8 x float> %v80
  %v85 = shufflevector <8 x float> %v84, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v86 = shufflevector <8 x float> %v84, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v87 = fcmp ogt <4 x float> %v85, %v86
  %v88 = fcmp uno <4 x float> %v85, %v85
  %v89 = or <4 x i1> %v87, %v88
  %v90 = select <4 x i1> %v89, <4 x float> %v85, <4 x float> %v86
  %v91 = shufflevector <4 x float> %v90, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v92 = shufflevector <4 x float> %v90, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v93 = fcmp ogt <2 x float> %v91, %v92
  %v94 = fcmp uno <2 x float> %v91, %v91
  %v95 = or <2 x i1> %v93, %v94
  %v96 = select <2 x i1> %v95, <2 x float> %v91, <2 x float> %v92
  %v97 = shufflevector <2 x float> %v96, <2 x float> poison, <1 x i32> <i32 0>
  %v98 = shufflevector <2 x float> %v96, <2 x float> poison, <1 x i32> <i32 1>
  %v99 = extractelement <1 x float> %v97, i64 0
  %v100 = extractelement <1 x float> %v98, i64 0
  %v101 = fcmp ogt float %v99, %v100
  %v102 = fcmp uno float %v99, %v99
  %v103 = or i1 %v101, %v102
  %v104 = select i1 %v103, float %v99, float %v100
  %v105 = fcmp ogt float %loop2.c0, %v104
  %v106 = fcmp uno float %loop2.c0, %loop2.c0
  %v107 = or i1 %v105, %v106
  %v108 = select i1 %v107, float %loop2.c0, float %v104
  %loop2.step = add nsw i64 %loop2.i, 8192
  %loop2.next = call i64 @llvm.expect.i64(i64 %loop2.step, i64 0)
  br label %loop2
loop2.end:
  br label %loop5
loop5:
  %loop5.i = phi i64 [ 0, %loop2.end ], [ %loop5.next, %loop7.end ]
  %loop5.c0 = phi double [ 0x8000000000000000, %loop2.end ], [ %v224, %loop7.end ]
  %v109 = icmp slt i64 %loop5.i, %v8
  br i1 %v109, label %loop5.body, label %loop5.end
loop5.body:
  %v110 = add i64 %loop5.i, 8192
  %v111 = icmp slt i64 %v8, %v110
  %v112 = select i1 %v111, i64 %v8, i64 %v110
  %v113 = sub i64 %v112, %loop5.i
  %v114 = and i64 %v113, -32
  %v115 = add i64 %loop5.i, %v114
  br label %loop6
loop6:
  %loop6.i = phi i64 [ %loop5.i, %loop5.body ], [ %loop6.next, %loop6.body ]
  %loop6.c0 = phi <16 x double> [ splat (double 0x8000000000000000), %loop5.body ], [ %v160, %loop6.body ]
  %v116 = icmp slt i64 %loop6.i, %v115
  br i1 %v116, label %loop6.body, label %loop6.end
loop6.body:
  %v117 = add i64 %v10, %loop6.i
  %v118 = getelementptr float, ptr %v19, i64 %v117
  %v119 = getelementptr i8, ptr %v118, i64 0
  call void @llvm.prefetch.p0(ptr %v119, i32 0, i32 3, i32 1)
  %v120 = getelementptr i8, ptr %v118, i64 64
  call void @llvm.prefetch.p0(ptr %v120, i32 0, i32 3, i32 1)
  %v121 = getelementptr float, ptr %v19, i64 %loop6.i
  %v122 = getelementptr float, ptr %v21, i64 %loop6.i
  %v123 = load <32 x float>, ptr %v121, align 4
  %v124 = insertelement <32 x float> poison, float %loop2.c0, i64 0
  %v125 = shufflevector <32 x float> %v124, <32 x float> poison, <32 x i32> zeroinitializer
  %v126 = fsub <32 x float> %v123, %v125
  %v127 = fcmp olt <32 x float> %v126, splat (float 0xC05A000000000000)
  %v128 = xor <32 x i1> %v127, splat (i1 true)
  %v129 = fcmp ogt <32 x float> %v126, splat (float 0x4056400000000000)
  %v130 = select <32 x i1> %v129, <32 x float> splat (float 0x4056400000000000), <32 x float> %v126
  %v131 = select <32 x i1> %v128, <32 x float> %v130, <32 x float> splat (float 0x0000000000000000)
  %v132 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v131, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000000000000))
  %v133 = fsub <32 x float> %v132, splat (float 0x4168000000000000)
  %v134 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v133, <32 x float> splat (float 0xBFE62E4000000000), <32 x float> %v131)
  %v135 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v133, <32 x float> splat (float 0xBEB7F7D1C0000000), <32 x float> %v134)
  %v136 = call <32 x float> @llvm.fma.v32f32(<32 x float> splat (float 0x3F56A25D00000000), <32 x float> %v135, <32 x float> splat (float 0x3F81239E40000000))
  %v137 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v136, <32 x float> %v135, <32 x float> splat (float 0x3FA5558F00000000))
  %v138 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v137, <32 x float> %v135, <32 x float> splat (float 0x3FC5554920000000))
  %v139 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v138, <32 x float> %v135, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v140 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v139, <32 x float> %v135, <32 x float> splat (float 0x3FF0000000000000))
  %v141 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v140, <32 x float> %v135, <32 x float> splat (float 0x3FF0000000000000))
  %v142 = bitcast <32 x float> %v132 to <32 x i32>
  %v143 = shl <32 x i32> %v142, splat (i32 22)
  %v144 = and <32 x i32> %v143, splat (i32 -8388608)
  %v145 = shl <32 x i32> %v142, splat (i32 23)
  %v146 = sub <32 x i32> %v145, %v144
  %v147 = bitcast <32 x float> %v141 to <32 x i32>
  %v148 = add <32 x i32> %v147, %v144
  %v149 = bitcast <32 x i32> %v148 to <32 x float>
  %v150 = add <32 x i32> %v146, splat (i32 1065353216)
  %v151 = bitcast <32 x i32> %v150 to <32 x float>
  %v152 = fmul <32 x float> %v149, %v151
  %v153 = select <32 x i1> %v128, <32 x float> %v152, <32 x float> splat (float 0x0000000000000000)
  %v154 = getelementptr float, ptr %memory0, i64 %loop6.i
  store <32 x float> %v153, ptr %v154, align 4
  %v155 = shufflevector <32 x float> %v153, <32 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v156 = fpext <16 x float> %v155 to <16 x double>
  %v157 = shufflevector <32 x float> %v153, <32 x float> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v158 = fpext <16 x float> %v157 to <16 x double>
  %v159 = fadd <16 x double> %loop6.c0, %v156
  %v160 = fadd <16 x double> %v159, %v158
  %loop6.step = add nsw i64 %loop6.i, 32
  %loop6.next = call i64 @llvm.expect.i64(i64 %loop6.step, i64 0)
  br label %loop6
loop6.end:
  br label %loop7
loop7:
  %loop7.i = phi i64 [ %v115, %loop6.end ], [ %loop7.next, %loop7.body ]
  %loop7.c0 = phi <16 x double> [ %loop6.c0, %loop6.end ], [ %v209, %loop7.body ]
  %v161 = icmp slt i64 %loop7.i, %v112
  br i1 %v161, label %loop7.body, label %loop7.end
loop7.body:
  %v162 = sub i64 %v112, %loop7.i
  %v163 = icmp slt i64 %v162, 16
  %v164 = select i1 %v163, i64 %v162, i64 16
  %v165 = trunc i64 %v164 to i32
  %v166 = insertelement <16 x i32> poison, i32 %v165, i64 0
  %v167 = shufflevector <16 x i32> %v166, <16 x i32> poison, <16 x i32> zeroinitializer
  %v168 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v167
  %v169 = getelementptr float, ptr %v19, i64 %loop7.i
  %v170 = getelementptr float, ptr %v21, i64 %loop7.i
  %v171 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v169, i32 4, <16 x i1> %v168, <16 x float> zeroinitializer)
  %v172 = insertelement <16 x float> poison, float %loop2.c0, i64 0
  %v173 = shufflevector <16 x float> %v172, <16 x float> poison, <16 x i32> zeroinitializer
  %v174 = fsub <16 x float> %v171, %v173
  %v175 = fcmp olt <16 x float> %v174, splat (float 0xC05A000000000000)
  %v176 = xor <16 x i1> %v175, splat (i1 true)
  %v177 = fcmp ogt <16 x float> %v174, splat (float 0x4056400000000000)
  %v178 = select <16 x i1> %v177, <16 x float> splat (float 0x4056400000000000), <16 x float> %v174
  %v179 = select <16 x i1> %v176, <16 x float> %v178, <16 x float> splat (float 0x0000000000000000)
  %v180 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v179, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4168000000000000))
  %v181 = fsub <16 x float> %v180, splat (float 0x4168000000000000)
  %v182 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v181, <16 x float> splat (float 0xBFE62E4000000000), <16 x float> %v179)
  %v183 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v181, <16 x float> splat (float 0xBEB7F7D1C0000000), <16 x float> %v182)
  %v184 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3F56A25D00000000), <16 x float> %v183, <16 x float> splat (float 0x3F81239E40000000))
  %v185 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v184, <16 x float> %v183, <16 x float> splat (float 0x3FA5558F00000000))
  %v186 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v185, <16 x float> %v183, <16 x float> splat (float 0x3FC5554920000000))
  %v187 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v186, <16 x float> %v183, <16 x float> splat (float 0x3FDFFFFFC0000000))
  %v188 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v187, <16 x float> %v183, <16 x float> splat (float 0x3FF0000000000000))
  %v189 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v188, <16 x float> %v183, <16 x float> splat (float 0x3FF0000000000000))
  %v190 = bitcast <16 x float> %v180 to <16 x i32>
  %v191 = shl <16 x i32> %v190, splat (i32 22)
  %v192 = and <16 x i32> %v191, splat (i32 -8388608)
  %v193 = shl <16 x i32> %v190, splat (i32 23)
  %v194 = sub <16 x i32> %v193, %v192
  %v195 = bitcast <16 x float> %v189 to <16 x i32>
  %v196 = add <16 x i32> %v195, %v192
  %v197 = bitcast <16 x i32> %v196 to <16 x float>
  %v198 = add <16 x i32> %v194, splat (i32 1065353216)
  %v199 = bitcast <16 x i32> %v198 to <16 x float>
  %v200 = fmul <16 x float> %v197, %v199
  %v201 = select <16 x i1> %v176, <16 x float> %v200, <16 x float> splat (float 0x0000000000000000)
  %v202 = getelementptr float, ptr %memory0, i64 %loop7.i
  store <16 x float> %v201, ptr %v202, align 4
  %v203 = fpext <16 x float> %v201 to <16 x double>
  %v204 = trunc i64 %v164 to i32
  %v205 = insertelement <16 x i32> poison, i32 %v204, i64 0
  %v206 = shufflevector <16 x i32> %v205, <16 x i32> poison, <16 x i32> zeroinitializer
  %v207 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v206
  %v208 = select <16 x i1> %v207, <16 x double> %v203, <16 x double> splat (double 0x8000000000000000)
  %v209 = fadd <16 x double> %loop7.c0, %v208
  %loop7.step = add nsw i64 %loop7.i, 16
  %loop7.next = call i64 @llvm.expect.i64(i64 %loop7.step, i64 0)
  br label %loop7
loop7.end:
  %v210 = shufflevector <16 x double> %loop7.c0, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v211 = shufflevector <16 x double> %loop7.c0, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v212 = fadd <8 x double> %v210, %v211
  %v213 = shufflevector <8 x double> %v212, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v214 = shufflevector <8 x double> %v212, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v215 = fadd <4 x double> %v213, %v214
  %v216 = shufflevector <4 x double> %v215, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %v217 = shufflevector <4 x double> %v215, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %v218 = fadd <2 x double> %v216, %v217
  %v219 = shufflevector <2 x double> %v218, <2 x double> poison, <1 x i32> <i32 0>
  %v220 = shufflevector <2 x double> %v218, <2 x double> poison, <1 x i32> <i32 1>
  %v221 = extractelement <1 x double> %v219, i64 0
  %v222 = extractelement <1 x double> %v220, i64 0
  %v223 = fadd double %v221, %v222
  %v224 = fadd double %loop5.c0, %v223
  %loop5.step = add nsw i64 %loop5.i, 8192
  %loop5.next = call i64 @llvm.expect.i64(i64 %loop5.step, i64 0)
  br label %loop5
loop5.end:
  %v225 = fptrunc double %loop5.c0 to float
  %v226 = sub i64 %v8, 0
  %v227 = and i64 %v226, -32
  %v228 = add i64 0, %v227
  br label %loop8
loop8:
  %loop8.i = phi i64 [ 0, %loop5.end ], [ %loop8.next, %loop8.body ]
  %v229 = icmp slt i64 %loop8.i, %v228
  br i1 %v229, label %loop8.body, label %loop8.end
loop8.body:
  %v230 = getelementptr float, ptr %v19, i64 %loop8.i
  %v231 = getelementptr float, ptr %v21, i64 %loop8.i
  %v232 = getelementptr float, ptr %memory0, i64 %loop8.i
  %v233 = load <32 x float>, ptr %v232, align 4
  %v234 = insertelement <32 x float> poison, float %v225, i64 0
  %v235 = shufflevector <32 x float> %v234, <32 x float> poison, <32 x i32> zeroinitializer
  %v236 = fdiv <32 x float> %v233, %v235
  store <32 x float> %v236, ptr %v231, align 4
  %loop8.step = add nsw i64 %loop8.i, 32
  %loop8.next = call i64 @llvm.expect.i64(i64 %loop8.step, i64 0)
  br label %loop8
loop8.end:
  br label %loop9
loop9:
  %loop9.i = phi i64 [ %v228, %loop8.end ], [ %loop9.next, %loop10.end ]
  %v237 = icmp slt i64 %loop9.i, %v8
  br i1 %v237, label %loop9.body, label %loop9.end
loop9.body:
  %v238 = sub i64 %v8, %loop9.i
  %v239 = icmp slt i64 %v238, 16
  %v240 = select i1 %v239, i64 %v238, i64 16
  %v241 = trunc i64 %v240 to i32
  %v242 = insertelement <16 x i32> poison, i32 %v241, i64 0
  %v243 = shufflevector <16 x i32> %v242, <16 x i32> poison, <16 x i32> zeroinitializer
  %v244 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v243
  %v245 = getelementptr float, ptr %v19, i64 %loop9.i
  %v246 = getelementptr float, ptr %v21, i64 %loop9.i
  %v247 = getelementptr float, ptr %memory0, i64 %loop9.i
  %v248 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v247, i32 4, <16 x i1> %v244, <16 x float> zeroinitializer)
  %v249 = insertelement <16 x float> poison, float %v225, i64 0
  %v250 = shufflevector <16 x float> %v249, <16 x float> poison, <16 x i32> zeroinitializer
  %v251 = fdiv <16 x float> %v248, %v250
  store <16 x float> %v251, ptr %memory1, align 64
  br label %loop10
loop10:
  %loop10.i = phi i64 [ 0, %loop9.body ], [ %loop10.next, %loop10.body ]
  %v252 = icmp slt i64 %loop10.i, %v240
  br i1 %v252, label %loop10.body, label %loop10.end
loop10.body:
  %v253 = getelementptr float, ptr %memory1, i64 %loop10.i
  %v254 = getelementptr float, ptr %v246, i64 %loop10.i
  %v255 = load float, ptr %v253
  store float %v255, ptr %v254
  %loop10.step = add nsw i64 %loop10.i, 1
  %loop10.next = call i64 @llvm.expect.i64(i64 %loop10.step, i64 0)
  br label %loop10
loop10.end:
  %loop9.step = add nsw i64 %loop9.i, 16
  %loop9.next = call i64 @llvm.expect.i64(i64 %loop9.step, i64 0)
  br label %loop9
loop9.end:
  %loop1.step = add nsw i64 %loop1.i, 1
  %loop1.next = call i64 @llvm.expect.i64(i64 %loop1.step, i64 0)
  br label %loop1
loop1.end:
  ret void
}
attributes #0 = { nounwind }
!0 = !{i32 1}
