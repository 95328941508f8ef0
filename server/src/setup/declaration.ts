import type { ApplicationCreate } from '../identity/application.ts'
import type { UserCreate } from '../identity/user.ts'
import type { WorkspaceCreate } from '../identity/workspace.ts'
import type { CollectionPatch } from '../knowledge/collection.ts'
import type { NewProvider, ProviderModel } from '../providers/provider.ts'

/**
 * What somebody wants to be there: `gatehouse.yaml`, the demo, or the environment, read and checked. Fields that are left out
 * are nobody's wish: they stay as they are, or begin with their default.
 */
export interface Declaration {
  readonly adminTokens: readonly DeclaredSecret[]
  readonly workspaces: readonly DeclaredWorkspace[]
}

/** A key (`gk_…`) or an admin token (`ga_…`) that exists already, outside: only its hash will be stored. */
export interface DeclaredSecret {
  readonly name: string
  readonly secret: string
}

export interface DeclaredWorkspace {
  readonly name: string
  readonly settings: NonNullable<WorkspaceCreate['settings']>
  readonly applications: readonly DeclaredApplication[]
  readonly users: readonly DeclaredUser[]
  readonly providers: readonly DeclaredProvider[]
  readonly collections?: readonly DeclaredCollection[]
  /** YAML of the policy set to be in force; absent: whichever is. */
  readonly policy?: string | undefined
}

export interface DeclaredApplication {
  readonly fields: ApplicationCreate
  readonly keys: readonly DeclaredSecret[]
}

export interface DeclaredCollection {
  readonly name: string
  readonly fields: Omit<CollectionPatch, 'name' | 'applications'>
  /** Names or ids; null: all of the Workspace. */
  readonly applications?: readonly string[] | null | undefined
  /** Whose files are its documents. */
  readonly folder?: string | undefined
}

export type DeclaredUser = UserCreate & { readonly id: string }

export interface DeclaredProvider {
  readonly id: string
  readonly kind: NewProvider['kind']
  /** The fields that are declared; the others have their defaults on creation and stay as they are later. */
  readonly fields: Partial<Omit<NewProvider, 'id' | 'kind' | 'source' | 'apiKey'>>
  readonly models: readonly DeclaredModel[]
  /** Whether these are all: models that are stored beside them are removed. */
  readonly exactModels?: boolean
}

export type DeclaredModel = Pick<ProviderModel, 'id'> & Partial<Omit<ProviderModel, 'id' | 'createdAt'>>
