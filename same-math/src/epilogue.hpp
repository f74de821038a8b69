#undef let
#undef mut
} // namespace same_math

#if !defined(__CUDACC_RTC__)
#pragma pop_macro("let")
#pragma pop_macro("mut")
#endif
#if defined(__clang__)
#pragma float_control(pop)
#pragma clang diagnostic pop
#endif
