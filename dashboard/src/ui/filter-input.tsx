import { MultiSelect, SegmentedControl, Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Filter, FilterValues } from './filter.ts'
import { FilterField } from './filter-field.tsx'
import { FilterPeriod } from './filter-period.tsx'

interface FilterInputProps {
  readonly filter: Filter
  readonly values: FilterValues
  readonly onChange: (changes: FilterValues) => void
  /** Without a visible label: the placeholder says it. */
  readonly compact?: boolean
  /** As wide as the parent. */
  readonly wide?: boolean
}

export function FilterInput({ filter, values, onChange, compact = false, wide = false }: FilterInputProps) {
  const { t } = useTranslation()
  const { name, label, kind, choices = [], fallback, searchable = false, placeholder, error, suggestions, onSearch } = filter
  const value = values[name] ?? ''
  const set = (changed: string | undefined) => onChange({ [name]: changed })
  const width = wide ? '100%' : (filter.width ?? 160)
  const labelled = compact ? { 'aria-label': label, placeholder: label } : { label, placeholder: placeholder ?? t('filters.any') }
  if (kind === 'period')
    return <FilterPeriod filter={filter} values={values} onChange={onChange} width={width} labelled={!compact} />
  if (kind === 'segments') return <FilterSegments filter={filter} value={value} onChange={set} />
  if (kind === 'choices') {
    const chosen = value === '' ? [] : value.split(',')
    return (
      <MultiSelect
        {...labelled}
        {...(chosen.length > 0 && { placeholder: '' })}
        w={wide ? width : 240}
        hidePickedOptions={false}
        clearable
        data={choices}
        value={chosen}
        comboboxProps={{ withinPortal: compact || wide }}
        onChange={(selected) => set(selected.join() || undefined)}
      />
    )
  }
  if (kind === 'choice') {
    return (
      <Select
        {...labelled}
        w={width}
        clearable={fallback === undefined}
        allowDeselect={fallback === undefined}
        searchable={searchable}
        limit={100}
        data={choices}
        value={value || (fallback ?? null)}
        comboboxProps={{ withinPortal: compact || wide }}
        onChange={(chosen) => set(chosen === null || chosen === fallback ? undefined : chosen)}
      />
    )
  }
  return (
    <FilterField
      {...labelled}
      {...(kind === 'time' && { type: 'datetime-local' as const })}
      {...(!compact && !wide && { 'data-autofocus': true })}
      w={width}
      value={value}
      error={error}
      suggestions={suggestions}
      onSearch={onSearch}
      onChange={set}
    />
  )
}

interface FilterSegmentsProps {
  readonly filter: Filter
  readonly value: string
  readonly onChange: (value: string | undefined) => void
}

const FilterSegments = ({ filter: { label, choices = [] }, value, onChange }: FilterSegmentsProps) => (
  <SegmentedControl
    aria-label={label}
    transitionDuration={0}
    data={[...choices]}
    value={value}
    onChange={(chosen) => onChange(chosen || undefined)}
  />
)
