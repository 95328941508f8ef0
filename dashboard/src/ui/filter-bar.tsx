import { Button, Group, Menu } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconFilterPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Filter, type FilterValues, isSet, withoutFilters } from './filter.ts'
import { FilterInput } from './filter-input.tsx'
import { FilterPill } from './filter-pill.tsx'
import { FilterSheet } from './filter-sheet.tsx'

export type { Filter, FilterValues } from './filter.ts'

interface FilterBarProps {
  readonly filters: readonly Filter[]
  readonly values: FilterValues
  readonly onChange: (changes: FilterValues) => void
  /** Shown after the filters. */
  readonly children?: ReactNode
}

/** The width of phones, on which lists are cards. */
const NARROW = '(max-width: 37.49em)'

/**
 * The filters of a list in one row: inputs of pinned filters, and a pill for each other filter that is set. On phones, one button opens them,
 * except segments and an only one. Each text has its own pause before it applies.
 */
export function FilterBar({ children, filters, ...props }: FilterBarProps) {
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false })
  const closed = filters.filter(({ kind }) => kind !== 'segments')
  const hasSheet = isNarrow && closed.length > 1
  return (
    <Group gap="xs" align="flex-start" role="search">
      {hasSheet && <FilterSheet filters={closed} {...props} />}
      <FilterRow filters={hasSheet ? filters.filter(({ kind }) => kind === 'segments') : filters} {...props} />
      {children}
    </Group>
  )
}

function FilterRow({ filters, values, onChange }: Omit<FilterBarProps, 'children'>) {
  const { t } = useTranslation()
  const [added, setAdded] = useState<string>()
  // Several values have no room in an input.
  const isPill = ({ pinned, kind }: Filter) => !pinned || kind === 'choices'
  const isShown = (filter: Filter) => filter.pinned || isSet(filter, values) || filter.name === added
  const hidden = filters.filter((filter) => !isShown(filter))
  const set = filters.filter((filter) => isSet(filter, values))
  const remove = (removed: readonly Filter[]) => {
    setAdded(undefined)
    onChange(withoutFilters(removed))
  }
  return (
    <>
      {filters
        .filter(isShown)
        .map((filter) =>
          isPill(filter) ? (
            <FilterPill
              key={filter.name}
              filter={filter}
              values={values}
              onChange={onChange}
              isNew={filter.name === added}
              onClose={() => setAdded((name) => (name === filter.name ? undefined : name))}
              onRemove={() => remove([filter])}
            />
          ) : (
            <FilterInput key={filter.name} filter={filter} values={values} onChange={onChange} compact />
          ),
        )}
      {hidden.length > 0 && (
        <Menu position="bottom-start" returnFocus={false}>
          <Menu.Target>
            <Button variant="default" leftSection={<IconFilterPlus size={16} />}>
              {t('filters.add')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {hidden.map(({ name, label }) => (
              <Menu.Item key={name} onClick={() => setAdded(name)}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {set.some(({ kind }) => kind !== 'segments') && (
        <Button variant="subtle" px="xs" onClick={() => remove(set)}>
          {t('filters.clear')}
        </Button>
      )}
    </>
  )
}
