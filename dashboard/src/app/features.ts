import type { Feature, NavigationEntry } from '../routing/feature.ts'

const modules = import.meta.glob<{ readonly feature: Feature }>('../features/*/feature.ts', { eager: true })
const features = Object.values(modules).map(({ feature }) => feature)

/** All pages of all features. */
export const PAGES = features.flatMap(({ pages }) => pages)

/** Entries of the sidebar in order. */
export const NAVIGATION: readonly NavigationEntry[] = features
  .flatMap(({ navigation = [] }) => navigation)
  .sort((one, other) => one.order - other.order)
