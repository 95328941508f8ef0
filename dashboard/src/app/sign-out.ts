import { signOut } from '../api/auth.ts'

/** Reloads the page so that no data stays in memory. */
export async function signOutAndReload(): Promise<void> {
  await signOut()
  location.assign('/dashboard/sign-in')
}
