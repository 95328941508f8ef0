interface LogoProps {
  /** In pixels. */
  readonly size?: number
}

/** An arch with a point that passes it. The same drawing as app/icon.svg. */
export const Logo = ({ size = 24 }: LogoProps) => (
  <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden focusable={false}>
    <rect width="32" height="32" rx="8" fill="var(--mantine-color-gate-6)" />
    <path fill="#fff" d="M7 26V15a9 9 0 0 1 18 0v11h-4.6V15a4.4 4.4 0 0 0-8.8 0v11z" />
    <circle cx="16" cy="21.2" r="2.5" fill="#fff" />
  </svg>
)
