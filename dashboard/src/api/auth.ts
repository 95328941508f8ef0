import { readError } from './api-error.ts'
import { asUnreachable } from './unreachable.ts'

// The sign-in routes stand beside the API, under /auth; this file is all that knows them. Refusals are thrown, as ApiError.

function post<Answer>(path: string, body: object): Promise<Answer> {
  return read(fetch(`/auth${path}`, { ...OWN, method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) }))
}

const get = <Answer>(path: string): Promise<Answer> => read(fetch(`/auth${path}`, OWN))

const OWN = { credentials: 'same-origin' } as const
const JSON_BODY = { 'content-type': 'application/json' }

async function read<Answer>(answer: Promise<Response>): Promise<Answer> {
  const response = await answer.catch((error) => {
    throw asUnreachable(error)
  })
  if (!response.ok) throw await readError(response)
  return (await response.json().catch(() => null)) as Answer
}

/** Signs in, or says that the second factor is wanted as well. */
export const signIn = (credentials: { readonly email: string; readonly password: string }) =>
  post<{ readonly twoFactorRedirect?: boolean }>('/sign-in/email', credentials)

export const verifyTotp = (code: string) => post('/two-factor/verify-totp', { code })
export const verifyBackupCode = (code: string) => post('/two-factor/verify-backup-code', { code })

/** What still needs the session when it is about to end. */
export const beforeSignOut = new Set<() => Promise<unknown>>()

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  await Promise.allSettled([...beforeSignOut].map((farewell) => farewell()))
  await post('/sign-out', {})
}

interface SignInMethods {
  /** The company's own sign-in, where there is one. */
  readonly oidc: { readonly name: string } | null
}

export const signInMethods = () => get<SignInMethods>('/gatehouse/methods')

/** Where the company's own sign-in begins; it comes back to `callbackURL`. */
export const signInWithProvider = (callbackURL: string) =>
  post<{ readonly url: string }>('/sign-in/social', { provider: 'oidc', callbackURL, errorCallbackURL: '/dashboard/sign-in' })

export interface Invitation {
  /** Null at the first start of a server: whoever holds the link says who they are. */
  readonly email: string | null
  readonly name: string | null
}

/** Whom a one-time link is for. */
export const readInvitation = (token: string) => post<Invitation>('/gatehouse/invitation', { token })

interface Acceptance {
  readonly token: string
  /** Name and address are asked for only of the first owner: nobody has said them before. */
  readonly name?: string
  readonly email?: string
  readonly password: string
}

/** Redeems a one-time link, and signs in. */
export const acceptInvitation = (acceptance: Acceptance) => post('/gatehouse/accept', acceptance)

export const changePassword = (passwords: { readonly currentPassword: string; readonly newPassword: string }) =>
  post('/change-password', passwords)

interface NewSecondFactor {
  /** For an authenticator app: `otpauth://…`. */
  readonly totpURI: string
  readonly backupCodes: readonly string[]
}

/** Begins to set up the second factor; it counts once a first code was verified (`verifyTotp`). */
export const enableSecondFactor = (password: string) => post<NewSecondFactor>('/two-factor/enable', { password })
export const disableSecondFactor = (password: string) => post('/two-factor/disable', { password })

/** New backup codes; the old ones no longer count. */
export const newBackupCodes = (password: string) =>
  post<{ readonly backupCodes: readonly string[] }>('/two-factor/generate-backup-codes', { password })

/** Ends the sessions of all other browsers. */
export const revokeOtherSessions = () => post('/revoke-other-sessions', {})
