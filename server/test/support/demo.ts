import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The content of data/demo.json, which the README documents. */
export interface Demo {
  readonly base_url: string
  readonly admin_token: string
  readonly workspace: { readonly id: string; readonly name: string }
  readonly dashboard: { readonly url: string; readonly email: string; readonly password: string }
  readonly applications: readonly {
    readonly id: string
    readonly name: string
    readonly api_key: string
    readonly revoked_api_key: string
  }[]
  readonly users: readonly {
    readonly id: string
    readonly username: string
    readonly role: string
    readonly department: string
    readonly user_token: string
    readonly access_token: string
  }[]
}

export const readDemo = (dataDir: string): Demo => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
