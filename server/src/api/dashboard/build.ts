import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GatehouseError } from '../../errors.ts'

/** Where `scripts/build-dashboard.mjs` puts the dashboard and the API reference. */
export const BUILD = join(import.meta.dirname, '../../../../dashboard/dist')

/** Placeholder of a page for the nonce of its styles or scripts. */
const NONCE_PLACE = '%NONCE%'

/** Throws NOT_FOUND if the dashboard has not been built. */
export async function readBuilt(path: string): Promise<string> {
  return readFile(join(BUILD, path), 'utf8').catch((cause) => {
    throw new GatehouseError('NOT_FOUND', { message: 'The dashboard is not built. Run `npm start` to build it.' }, cause)
  })
}

/** A page of the build with a new nonce. */
export async function readPage(path: string): Promise<{ readonly html: string; readonly nonce: string }> {
  const nonce = randomBytes(16).toString('base64')
  return { html: (await readBuilt(path)).replaceAll(NONCE_PLACE, nonce), nonce }
}
