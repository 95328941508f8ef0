/** Everything comes from this server. Styles made at run time carry the nonce of their page; scripts have no such way in. */
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

/** The page is asked for each time, names no referrer (an invitation stands in its address) and is nobody's frame. */
export const pageHeaders = (nonce: string) => ({
  'content-security-policy': contentSecurityPolicy(nonce),
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
})
