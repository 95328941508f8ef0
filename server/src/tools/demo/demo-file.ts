import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { checker } from '../../platform/lib/schema.ts'
import { writePrivateFile } from '../setup/private-file.ts'

const Text = Type.String({ minLength: 1 })

/** `data/demo.json`, mode 0600: the only file with the demo's keys and tokens as plain text. */
const DemoFile = Type.Object({
  base_url: Text,
  admin_token: Text,
  workspace: Type.Object({ id: Text, name: Text }),
  dashboard: Type.Object({ url: Text, email: Text, password: Text }),
  reviewer: Type.Object({ email: Text, password: Text }),
  /** The time that the invented history covers; absent: there is none. */
  history: Type.Optional(Type.Object({ from: Text, until: Text })),
  applications: Type.Array(Type.Object({ id: Text, name: Text, api_key: Text, revoked_api_key: Text }), { minItems: 1 }),
  users: Type.Array(
    Type.Object({
      id: Text,
      username: Text,
      role: Type.String(),
      department: Type.String(),
      attributes: Type.Object({}, { additionalProperties: true }),
      user_token: Text,
      access_token: Text,
    }),
  ),
})
export type DemoFile = Static<typeof DemoFile>

const check = checker(DemoFile)

export const demoFilePath = (dataDir: string): string => join(dataDir, 'demo.json')

export async function readDemoFile(dataDir: string): Promise<DemoFile | undefined> {
  try {
    const checked = check(JSON.parse(await readFile(demoFilePath(dataDir), 'utf8')))
    return checked.ok ? checked.value : undefined
  } catch (error) {
    const { code } = error as { code?: string }
    if (error instanceof SyntaxError || code === 'ENOENT') return undefined
    throw error
  }
}

export const writeDemoFile = (dataDir: string, demo: DemoFile): Promise<void> =>
  writePrivateFile(demoFilePath(dataDir), `${JSON.stringify(demo, null, 2)}\n`)

export const withBaseUrl = <T extends { readonly dashboard: object }>(demo: T, base: string) => ({
  ...demo,
  base_url: base,
  dashboard: { ...demo.dashboard, url: `${base}/dashboard/` },
})
