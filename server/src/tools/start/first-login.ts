import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  findInvitation,
  newInvitationToken,
  putInvitation,
  removeFirstInvitation,
} from '../../domains/operators/invitation-store.ts'
import { hasPeople } from '../../domains/operators/operator-store.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Change } from '../setup/change.ts'
import { writePrivateFile } from '../setup/private-file.ts'
import { type ChangeDeps, changeServer } from '../setup/recorded-change.ts'

const ISSUED: Change = { done: 'issued', object: 'operator_invitation', id: 'first', name: 'first', fields: [] }

export const firstLoginFile = (dataDir: string): string => join(dataDir, 'first-login.txt')

/** Undefined once there is an operator. The embedded database keeps the token in a file, which is written before the commit (see prepare.ts). */
export async function issueFirstLogin(
  deps: ChangeDeps,
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
): Promise<string | undefined> {
  const file = databaseUrl === undefined ? firstLoginFile(dataDir) : undefined
  const kept = file && (await readToken(file))
  let token: string | undefined
  await changeServer(deps, async (tx, now) => {
    if (await hasPeople(tx)) {
      await removeFirstInvitation(tx)
      return []
    }
    token = kept
    if (token !== undefined && (await findInvitation(tx, token, now))) return []
    token = newInvitationToken()
    if (file) await writePrivateFile(file, `token=${token}\n`)
    await putInvitation(tx, null, token, now)
    return [ISSUED]
  })
  if (file && token === undefined && kept !== undefined) await rm(file, { force: true })
  return token
}

export async function needsFirstLogin({ database }: ChangeDeps): Promise<boolean> {
  return database.db.transaction().execute(async (tx) => {
    const hasOperator = await hasPeople(tx)
    if (hasOperator) await removeFirstInvitation(tx)
    return !hasOperator
  })
}

/** Replaces the token in the file by the whole link, once the server's address is known. */
export const writeFirstLoginLink = (dataDir: string, url: string): Promise<void> =>
  writePrivateFile(firstLoginFile(dataDir), `${url}\n`)

/** Address of the server that wrote the link to the data folder. Undefined: there is no link. */
export async function readFirstLoginBase(dataDir: string): Promise<string | undefined> {
  const text = await readFirstLogin(firstLoginFile(dataDir))
  return text?.startsWith('http') ? new URL(text).origin : undefined
}

async function readToken(file: string): Promise<string | undefined> {
  return /token=([\w-]+)/.exec((await readFirstLogin(file)) ?? '')?.[1]
}

async function readFirstLogin(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
