/** Allows only resources of this server. Styles created at run time carry the nonce of the page; scripts cannot. */
const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The page is not cached, sends no referrer (its address may contain an invitation) and cannot be framed. */
export const pageHeaders = (nonce: string) => ({
  'content-security-policy': contentSecurityPolicy(nonce),
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
})
