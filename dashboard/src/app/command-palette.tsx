import '@mantine/spotlight/styles.css'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { matching, type PaletteGroup } from './palette-group.ts'
import { usePaletteActions } from './use-palette-actions.ts'
import { usePaletteRecords } from './use-palette-records.ts'

const [store, palette] = createSpotlight()

interface CommandPaletteProps {
  /** Opens the palette each time it grows. */
  readonly openings: number
}

/** Finds pages, actions, Applications, teams, rules, users and objects by id. */
export function CommandPalette({ openings }: CommandPaletteProps) {
  const { t } = useTranslation('app')
  const [query, setQuery] = useState('')
  const { pages, actions } = usePaletteActions()
  const { record, applications, teams, rules, users } = usePaletteRecords(query)
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens again
  useEffect(palette.open, [openings])
  const groups: readonly PaletteGroup[] = [
    { name: t('palette.records'), entries: record },
    { name: t('palette.pages'), entries: matching(query, pages) },
    { name: t('palette.applications'), entries: query.trim() === '' ? [] : matching(query, applications) },
    { name: t('palette.teams'), entries: query.trim() === '' ? [] : matching(query, teams) },
    { name: t('palette.rules'), entries: matching(query, rules) },
    { name: t('palette.users'), entries: users },
    { name: t('palette.actions'), entries: matching(query, actions) },
  ].filter(({ entries }) => entries.length > 0)
  useFirstSelected(groups.flatMap(({ entries }) => entries.map(({ id }) => id)).join())
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      scrollable
      maxHeight={420}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      transitionProps={{ duration: 0 }}
      attributes={{ content: { 'aria-label': t('palette.open') } }}
    >
      <Spotlight.Search
        aria-label={t('palette.open')}
        placeholder={t('palette.placeholder')}
        leftSection={<IconSearch size={18} stroke={1.6} />}
      />
      <Spotlight.ActionsList>
        {groups.map(({ name, entries }) => (
          <Spotlight.ActionsGroup key={name} label={name}>
            {entries.map(({ id, label, description, icon: Icon, run }) => (
              <Spotlight.Action
                key={id}
                label={label}
                {...(description && { description })}
                leftSection={<Icon size={16} stroke={1.7} />}
                onClick={run}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && <Spotlight.Empty>{t('palette.none')}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/** Selects the first entry if none is selected: Mantine does so only when the query changes, and users are found later. */
function useFirstSelected(entries: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other entries
  useEffect(() => {
    const { listId } = store.getState()
    const list = document.getElementById(listId)
    if (!list || list.querySelector('[data-selected]')) return
    list.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
    store.updateState((state) => ({ ...state, selected: 0 }))
  }, [entries])
}
