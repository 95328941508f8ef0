import { ActionIcon, Button, Group, Popover, Text } from '@mantine/core'
import { IconSelector, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Filter, type FilterValues, textOfValue } from './filter.ts'
import { FilterInput } from './filter-input.tsx'
import { usePeriodText } from './use-period-text.ts'

interface FilterPillProps {
  readonly filter: Filter
  readonly values: FilterValues
  readonly onChange: (changes: FilterValues) => void
  /** It was just added: its input opens. */
  readonly isNew: boolean
  readonly onClose: () => void
  readonly onRemove: () => void
}

/** A filter with its value; without one, a pinned filter looks like an empty input. Its input opens below it. */
export function FilterPill({ filter, values, onChange, isNew, onClose, onRemove }: FilterPillProps) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(isNew)
  const period = usePeriodText(values)
  const value = filter.kind === 'period' ? period : textOfValue(filter, values[filter.name] ?? '')
  const isEmpty = filter.pinned === true && !value
  const look = isEmpty
    ? {
        fw: 400,
        c: 'var(--mantine-color-placeholder)',
        w: filter.width,
        justify: 'space-between',
        rightSection: <IconSelector size={16} />,
      }
    : {}
  const close = () => {
    setOpened(false)
    onClose()
  }
  return (
    <Group gap={0} wrap="nowrap">
      <Popover
        opened={opened}
        onChange={(open) => (open ? setOpened(true) : close())}
        position="bottom-start"
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <Button variant={value ? 'light' : 'default'} maw={260} px="sm" {...look} onClick={() => setOpened(!opened)}>
            <Text span inherit truncate>
              {filter.label}
              {value && `: ${value}`}
            </Text>
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={filter.label}>
          <FilterInput filter={filter} values={values} onChange={onChange} />
        </Popover.Dropdown>
      </Popover>
      {!isEmpty && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('filters.remove', { name: filter.label })}
          onClick={onRemove}
        >
          <IconX size={14} />
        </ActionIcon>
      )}
    </Group>
  )
}
