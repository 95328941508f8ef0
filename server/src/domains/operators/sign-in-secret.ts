import { deriveKey } from '../../platform/lib/derived-key.ts'

/** The secret of better-auth: signs session cookies and encrypts second factors. */
export const signInSecret = (secretKey: Uint8Array): string => deriveKey(secretKey, 'sign-in').toString('base64url')
