import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findInvitation, newInvitationToken, putInvitation, removeFirstInvitation } from '../operators/invitation-store.ts'
import { hasPeople } from '../operators/operator-store.ts'
import { type ChangeDeps, changeServer } from './change-recorded.ts'
import { writePrivateFile } from './private-file.ts'

/** Where the token of the first login lies until somebody has used it: a start prints the link with it. */
const fileOf = (dataDir: string): string => join(dataDir, 'first-login.txt')

/**
 * Sees that the first owner can come in while there is nobody, and answers the token for the link; undefined once there is
 * somebody. The file comes first: a process that dies in between leaves a token that opens nothing, and the next start makes
 * another.
 */
export async function ensureFirstLogin(deps: ChangeDeps, dataDir: string): Promise<string | undefined> {
  const file = fileOf(dataDir)
  const kept = await tokenIn(file)
  let token: string | undefined
  await changeServer(deps, async (tx, now) => {
    if (await hasPeople(tx)) {
      await removeFirstInvitation(tx)
      return []
    }
    token = kept
    if (token !== undefined && (await findInvitation(tx, token, now))) return []
    token = newInvitationToken()
    await writeFirstLogin(file, `token=${token}`)
    await putInvitation(tx, null, token, now)
    return [{ done: 'issued', object: 'operator_invitation', id: 'first', name: 'first', fields: [] }]
  })
  if (token === undefined && kept !== undefined) await rm(file, { force: true })
  return token
}

/** Once the address is known, the file holds the whole link. */
export const placeFirstLogin = (dataDir: string, url: string): Promise<void> => writeFirstLogin(fileOf(dataDir), url)

const writeFirstLogin = (file: string, line: string): Promise<void> => writePrivateFile(file, `${line}\n`)

async function tokenIn(file: string): Promise<string | undefined> {
  try {
    return /token=([\w-]+)/.exec(await readFile(file, 'utf8'))?.[1]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
