import { useSearch } from '@tanstack/react-router'
import type { ItemOf } from '../api/operations.ts'
import { useNavigateTo } from '../routing/location.ts'
import { useStoredColumns } from '../ui/column-chooser.tsx'

export type View = ItemOf<'/admin/v1/views'>

/** The part of a list that a view keeps. */
export type ViewState = Pick<View, 'query' | 'columns'>

/** Parts of the URL that belong to no view. */
const OTHER = ['view', 'workspace']

/** The state of the list, the id of its view, and functions that change both. */
export function useViewState(page: string) {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const navigate = useNavigateTo()
  const [columns, setColumns] = useStoredColumns(page)
  const query = Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (OTHER.includes(name) || !isText(value) ? [] : [[name, String(value)]])),
  )
  const shown: ViewState = { query, columns: columns && [...columns] }
  return {
    shown,
    viewId: typeof search.view === 'string' ? search.view : undefined,
    /** Shows the list as it is in the view. */
    show: (view: View) => {
      setColumns(view.columns)
      navigate('.', { ...view.query, view: view.id })
    },
    /** Names the view in the URL; undefined: none. */
    select: (id: string | undefined) => navigate('.', { ...query, ...(id !== undefined && { view: id }) }),
  }
}

const isText = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

const sorted = ({ query, columns }: ViewState): string =>
  JSON.stringify([Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1)), columns?.toSorted() ?? null])

export const isModified = (view: ViewState, shown: ViewState): boolean => sorted(view) !== sorted(shown)
