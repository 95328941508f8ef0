import { Button, Checkbox, Popover, Stack } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconColumns3 } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Column } from './data-table-column.ts'

interface ColumnChoice<Row> {
  readonly columns: readonly Column<Row>[]
  /** Ids of the chosen columns; null: the list's own choice. */
  readonly chosen: readonly string[] | null
  readonly choose: (ids: readonly string[] | null) => void
}

/** Ids of the columns that the operator chose for a list in this browser; null: the list's own choice. */
export function useStoredColumns(list: string) {
  const [stored, store] = useLocalStorage<readonly string[] | null>({
    key: `gatehouse.columns.${list}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  })
  // Another version may have stored something else.
  return [Array.isArray(stored) ? (stored as readonly string[]) : null, store] as const
}

/** The columns of a list that the operator chose in this browser. */
export function useColumnChoice<Row>(list: string, columns: readonly Column<Row>[]): ColumnChoice<Row> {
  const [chosen, choose] = useStoredColumns(list)
  const isShown = ({ id, optional }: Column<Row>) => id === undefined || (chosen ? chosen.includes(id) : !optional)
  return { columns: columns.filter(isShown), chosen, choose }
}

interface ColumnChooserProps<Row> {
  readonly all: readonly Column<Row>[]
  readonly choice: ColumnChoice<Row>
}

/** Button with a checkbox for each column that can be hidden. */
export function ColumnChooser<Row>({ all, choice: { columns, chosen, choose } }: ColumnChooserProps<Row>) {
  const { t } = useTranslation()
  const shown = columns.flatMap(({ id }) => id ?? [])
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={16} />}>
          {t('table.columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('table.columns')}>
        <Stack gap="xs">
          <Checkbox.Group value={[...shown]} onChange={choose}>
            <Stack gap="xs">
              {all.map(({ id, header }) => id !== undefined && <Checkbox key={id} value={id} label={header} />)}
            </Stack>
          </Checkbox.Group>
          <Button variant="subtle" size="xs" disabled={chosen === null} onClick={() => choose(null)}>
            {t('table.resetColumns')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
