import { readError } from './api-error.ts'
import { toNetworkError } from './unreachable-error.ts'

// Client of the sign-in routes under /auth, which are not part of the OpenAPI document. Error responses are thrown as ApiError.

function post<Body>(path: string, body: object): Promise<Body> {
  return read(fetch(`/auth${path}`, { ...SAME_ORIGIN, method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) }))
}

const get = <Body>(path: string): Promise<Body> => read(fetch(`/auth${path}`, SAME_ORIGIN))

const SAME_ORIGIN = { credentials: 'same-origin' } as const
const JSON_BODY = { 'content-type': 'application/json' }

async function read<Body>(pending: Promise<Response>): Promise<Body> {
  const response = await pending.catch((error) => {
    throw toNetworkError(error)
  })
  if (!response.ok) throw await readError(response)
  return (await response.json().catch(() => null)) as Body
}

/** Signs in. `twoFactorRedirect` is set if a two-factor code is required too. */
export const signIn = (credentials: { readonly email: string; readonly password: string }) =>
  post<{ readonly twoFactorRedirect?: boolean }>('/sign-in/email', credentials)

export const verifyTotp = (code: string) => post('/two-factor/verify-totp', { code })
export const verifyBackupCode = (code: string) => post('/two-factor/verify-backup-code', { code })

/** Functions to run before the session ends. */
export const beforeSignOut = new Set<() => Promise<unknown>>()

export async function signOut(): Promise<void> {
  await Promise.allSettled([...beforeSignOut].map((run) => run()))
  await post('/sign-out', {})
}

interface SignInMethods {
  /** Single sign-on; null if it is not configured. */
  readonly oidc: { readonly name: string } | null
  /** Whether the server has no operator yet, so that no password works. */
  readonly needs_first_login: boolean
}

export const signInMethods = () => get<SignInMethods>('/gatehouse/methods')

/** Returns the URL where single sign-on starts. It redirects to `callbackURL`. */
export const signInWithProvider = (callbackURL: string) =>
  post<{ readonly url: string }>('/sign-in/social', { provider: 'oidc', callbackURL, errorCallbackURL: '/dashboard/sign-in' })

export interface Invitation {
  /** Null for the first owner, who enters it. */
  readonly email: string | null
  readonly name: string | null
  /** Whether the first owner names the first Workspace too. */
  readonly needs_workspace: boolean
}

/** Reads the invitation of a one-time link. */
export const readInvitation = (token: string) => post<Invitation>('/gatehouse/invitation', { token })

interface Acceptance {
  readonly token: string
  /** Name and email are required only of the first owner. */
  readonly name?: string
  readonly email?: string
  readonly password: string
}

/** Redeems a one-time link and signs in. */
export const acceptInvitation = (acceptance: Acceptance) => post('/gatehouse/accept', acceptance)

export const changePassword = (passwords: { readonly currentPassword: string; readonly newPassword: string }) =>
  post('/change-password', passwords)

export interface NewTwoFactor {
  /** `otpauth://…`, for authenticator apps. */
  readonly totpURI: string
  readonly backupCodes: readonly string[]
}

/** Starts the setup of two-factor authentication. `verifyTotp` with a first code completes it. */
export const enableTwoFactor = (password: string) => post<NewTwoFactor>('/two-factor/enable', { password })
export const disableTwoFactor = (password: string) => post('/two-factor/disable', { password })

export const createBackupCodes = (password: string) =>
  post<{ readonly backupCodes: readonly string[] }>('/two-factor/generate-backup-codes', { password })

export const revokeOtherSessions = () => post('/revoke-other-sessions', {})
