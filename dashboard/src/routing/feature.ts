import type { ComponentType, ReactNode } from 'react'
import type { Scope } from '../api/session.ts'

/** One page of a feature, in a file of its own that is loaded when it is first visited. */
export interface FeaturePage {
  /** Below /dashboard, with `$name` for what changes: `/applications/$id`. */
  readonly path: string
  readonly load: () => Promise<{ readonly Page: () => ReactNode }>
  /** The scope without which the page is of no use: who lacks it is told so. */
  readonly scope?: Scope
  /** Stands alone, for people who have not signed in. */
  readonly public?: true
}

export interface NavigationEntry {
  readonly to: string
  readonly label: string
  readonly icon: ComponentType<{ readonly size?: number; readonly stroke?: number }>
  /** Under which heading it stands in the sidebar; none: at its top. */
  readonly section?: 'Govern' | 'Data' | 'Connect' | 'Settings'
  /** Within its section, the smallest first. */
  readonly order: number
  /** Shown to those who have it. */
  readonly scope?: Scope
}

/** What a folder of features/ brings, in its file `feature.ts`: collected by app/features.ts. */
export interface Feature {
  readonly pages: readonly FeaturePage[]
  readonly navigation?: readonly NavigationEntry[]
}
