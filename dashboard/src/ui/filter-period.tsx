import { Button, Group, Input, Popover, Skeleton, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCalendar } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { Filter, FilterValues } from './filter.ts'
import { usePeriodText } from './use-period-text.ts'

interface FilterPeriodProps {
  readonly filter: Filter
  readonly values: FilterValues
  readonly onChange: (changes: FilterValues) => void
  readonly width: number | string
  readonly labelled: boolean
}

/** Loaded when it is opened: the calendar is larger than most pages. */
const TimeRange = lazy(async () => ({ default: (await import('./time-range.tsx')).TimeRange }))

/** Filters by time: a period that ends now, or a range of days and times. */
export function FilterPeriod({ filter, values, onChange, width, labelled }: FilterPeriodProps) {
  const { t } = useTranslation('ui')
  const [opened, { close, toggle }] = useDisclosure()
  const text = usePeriodText(values)
  const choose = (changes: FilterValues) => {
    onChange({ period: undefined, from: undefined, to: undefined, ...changes })
    close()
  }
  const button = (
    <Popover opened={opened} onChange={close} position="bottom-start" trapFocus withArrow>
      <Popover.Target>
        <Button
          variant={text ? 'light' : 'default'}
          leftSection={<IconCalendar size={16} />}
          w={typeof width === 'number' ? undefined : width}
          aria-label={`${filter.label}: ${text || t('period.any')}`}
          onClick={toggle}
        >
          {text || t('period.any')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={filter.label}>
        <Group align="flex-start" gap="md">
          <Stack gap={2}>
            {['', ...(filter.periods ?? [])].map((name) => (
              <Button
                key={name}
                variant={(values.period ?? '') === name && (name !== '' || !text) ? 'light' : 'subtle'}
                size="compact-sm"
                justify="flex-start"
                onClick={() => choose({ period: name || undefined })}
              >
                {name === '' ? t('period.any') : t(`period.last.${name}` as 'period.last.24h')}
              </Button>
            ))}
          </Stack>
          <Suspense fallback={<Skeleton h={300} w={250} />}>
            <TimeRange from={values.from} to={values.to} onChange={choose} />
          </Suspense>
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
  return labelled ? <Input.Wrapper label={filter.label}>{button}</Input.Wrapper> : button
}
