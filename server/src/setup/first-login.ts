import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { findInvitation, newInvitationToken, putInvitation, removeFirstInvitation } from '../operators/invitation-store.ts'
import { hasPeople } from '../operators/operator-store.ts'
import type { Change } from './change.ts'
import { type ChangeDeps, changeServer } from './change-recorded.ts'
import { writePrivateFile } from './private-file.ts'

const ISSUED: Change = { done: 'issued', object: 'operator_invitation', id: 'first', name: 'first', fields: [] }

/** Where the token of the first login lies until somebody has used it: a start prints the link with it. */
export const firstLoginFile = (dataDir: string): string => join(dataDir, 'first-login.txt')

/**
 * Sees that the first owner can come in while there is nobody, and answers the token for the link; undefined once there is
 * somebody. The file comes first: a process that dies in between leaves a token that opens nothing, and the next start makes
 * another.
 */
export async function ensureFirstLogin(deps: ChangeDeps, dataDir: string): Promise<string | undefined> {
  const file = firstLoginFile(dataDir)
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
    return [ISSUED]
  })
  if (token === undefined && kept !== undefined) await rm(file, { force: true })
  return token
}

/** The token of the first login: kept in a file with the embedded database, made anew each time with PostgreSQL. */
export const firstLoginOf = (deps: ChangeDeps, config: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<string | undefined> =>
  config.databaseUrl === undefined ? ensureFirstLogin(deps, config.dataDir) : newFirstLogin(deps)

/** A new token, which is kept nowhere; older ones open nothing any more. Undefined once there is somebody. */
async function newFirstLogin(deps: ChangeDeps): Promise<string | undefined> {
  let token: string | undefined
  await changeServer(deps, async (tx, now) => {
    if (await hasPeople(tx)) return []
    token = newInvitationToken()
    await putInvitation(tx, null, token, now)
    return [ISSUED]
  })
  return token
}

/** Once there is somebody, a first login opens nothing any more. Answers whether there is nobody. */
export async function needsFirstLogin({ database }: ChangeDeps): Promise<boolean> {
  return database.db.transaction().execute(async (tx) => {
    const has = await hasPeople(tx)
    if (has) await removeFirstInvitation(tx)
    return !has
  })
}

/** Once the address is known, the file holds the whole link. */
export const placeFirstLogin = (dataDir: string, url: string): Promise<void> => writeFirstLogin(firstLoginFile(dataDir), url)

const writeFirstLogin = (file: string, line: string): Promise<void> => writePrivateFile(file, `${line}\n`)

async function tokenIn(file: string): Promise<string | undefined> {
  try {
    return /token=([\w-]+)/.exec(await readFile(file, 'utf8'))?.[1]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
