import type { Feature, FeaturePage, NavigationEntry } from '../routing/feature.ts'
import { loadTexts } from '../texts/texts.ts'

const modules = import.meta.glob<{ readonly feature: Feature }>('../features/*/feature.ts', { eager: true })
const features = Object.values(modules).map(({ feature }) => feature)

/** All pages of all features. A page is loaded together with its feature's texts. */
export const PAGES: readonly FeaturePage[] = Object.entries(modules).flatMap(([path, { feature }]) =>
  feature.pages.map((page) => ({ ...page, load: () => withTexts(folderOf(path), page.load()) })),
)

/** Sections of the sidebar. The first has no heading. */
export const SECTIONS = [undefined, 'govern', 'data', 'connect', 'settings'] as const

const sectionOf = ({ section }: NavigationEntry): number => SECTIONS.indexOf(section)

/** Entries of the sidebar in order. */
export const NAVIGATION: readonly NavigationEntry[] = features
  .flatMap(({ navigation = [] }) => navigation)
  .sort((one, other) => sectionOf(one) - sectionOf(other) || one.order - other.order)

/** `../features/home/feature.ts` → `home`. */
const folderOf = (path: string): string => path.split('/').at(-2) ?? ''

async function withTexts<Page>(feature: string, page: Promise<Page>): Promise<Page> {
  const [loaded] = await Promise.all([page, loadTexts(feature)])
  return loaded
}
