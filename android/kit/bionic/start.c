/* crtbegin_dynamic for 64-bit Android: where a program begins. */
#include "crt.c"

typedef void (*plain)(void);
struct arrays {
  plain *preinit, *init, *fini;
};

extern int main(int, char**, char**);
extern void __libc_init(void*, plain, int (*)(int, char**, char**), const struct arrays*);

#define ARRAY(name) __attribute__((section("." name), used)) static plain
ARRAY("preinit_array") preinit[] = {(plain)-1};
ARRAY("init_array") init[] = {(plain)-1};
ARRAY("fini_array") fini[] = {(plain)-1};

__attribute__((used, noreturn)) static void begin(void* stack) {
  struct arrays arrays = {preinit, init, fini};
  __libc_init(stack, 0, main, &arrays);
  __builtin_unreachable();
}

#if defined(__aarch64__)
__asm__(".globl _start\n.type _start,%function\n_start:\n mov x29, #0\n mov x30, #0\n mov x0, sp\n b begin\n");
#else
__asm__(".globl _start\n.type _start,%function\n_start:\n xorl %ebp, %ebp\n movq %rsp, %rdi\n andq $-16, %rsp\n call begin\n");
#endif
