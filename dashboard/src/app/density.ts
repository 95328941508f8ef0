import { useLocalStorage } from '@mantine/hooks'

/** `compact` has smaller controls and less space, for lists with many rows. */
export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

/** Density of all pages, kept in the browser. */
export const useDensity = () =>
  useLocalStorage<Density>({ key: 'gatehouse.density', defaultValue: 'comfortable', getInitialValueInEffect: false, deserialize })

const deserialize = (stored: string | undefined): Density =>
  DENSITIES.find((density) => stored === JSON.stringify(density)) ?? 'comfortable'
