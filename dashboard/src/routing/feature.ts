import type { ComponentType, ReactNode } from 'react'
import type { Scope } from '../api/session.ts'
import type app from '../texts/en/app.json'

/** A page of a feature. Its file is loaded on the first visit. */
export interface FeaturePage {
  /** Below /dashboard, with `$name` for parameters: `/applications/$id`. */
  readonly path: string
  readonly load: () => Promise<{ readonly Page: () => ReactNode }>
  /** Scope that the page requires. */
  readonly scope?: Scope
  /** Requires no sign-in and has no sidebar. */
  readonly public?: true
}

export interface NavigationEntry {
  readonly to: string
  /** Key in texts/en/app.json. */
  readonly label: keyof typeof app.navigation.pages
  readonly icon: ComponentType<{ readonly size?: number; readonly stroke?: number }>
  /** Heading in the sidebar. Default: at the top, without a heading. */
  readonly section?: keyof typeof app.navigation.sections
  /** Position in its section, ascending. */
  readonly order: number
  /** Hidden without this scope. */
  readonly scope?: Scope
}

/**
 * Pages and navigation of a folder in features/, exported by its `feature.ts` and collected by app/features.ts. The folder's en.json has the
 * texts of its pages.
 */
export interface Feature {
  readonly pages: readonly FeaturePage[]
  readonly navigation?: readonly NavigationEntry[]
}
