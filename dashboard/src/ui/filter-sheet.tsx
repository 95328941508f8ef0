import { Button, Drawer, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFilter } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { type Filter, type FilterValues, isSet, withoutFilters } from './filter.ts'
import { FilterInput } from './filter-input.tsx'

interface FilterSheetProps {
  readonly filters: readonly Filter[]
  readonly values: FilterValues
  readonly onChange: (changes: FilterValues) => void
}

/** The filters of a list on a phone: a button with the number of filters that are set opens all of them. */
export function FilterSheet({ filters, values, onChange }: FilterSheetProps) {
  const { t } = useTranslation()
  const [opened, { open, close }] = useDisclosure()
  const set = filters.filter((filter) => isSet(filter, values))
  return (
    <>
      <Button variant={set.length > 0 ? 'light' : 'default'} leftSection={<IconFilter size={16} />} onClick={open}>
        {set.length > 0 ? t('filters.set', { number: set.length }) : t('filters.title')}
      </Button>
      <Drawer
        opened={opened}
        onClose={close}
        position="bottom"
        size="85%"
        title={t('filters.title')}
        closeButtonProps={{ 'aria-label': t('filters.close') }}
      >
        <Stack gap="sm">
          {filters.map((filter) => (
            <FilterInput key={filter.name} filter={filter} values={values} onChange={onChange} wide />
          ))}
          <Group grow>
            <Button variant="default" disabled={set.length === 0} onClick={() => onChange(withoutFilters(set))}>
              {t('filters.clear')}
            </Button>
            <Button onClick={close}>{t('filters.show')}</Button>
          </Group>
        </Stack>
      </Drawer>
    </>
  )
}
