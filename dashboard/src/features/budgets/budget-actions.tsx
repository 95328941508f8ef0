import { Group } from '@mantine/core'
import { useChange } from '../../api/queries.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { useFormSync } from '../../ui/use-form-sync.ts'
import type { Budget } from './budget.ts'
import { BudgetForm, createBody, patchBody, useBudgetForm, valuesOf } from './budget-form.tsx'

const REFRESH = ['/admin/v1/budgets']

export function CreateButton() {
  const form = useBudgetForm()
  const dialog = useFormDialog(form)
  const create = useChange('post', '/admin/v1/budgets', { refresh: REFRESH, onDone: dialog.dismiss })
  return (
    <FormDialog dialog={dialog} title="Create budget" pending={create.isPending}>
      <BudgetForm
        form={form}
        isNew
        submit="Create"
        pending={create.isPending}
        onSubmit={(values) => create.mutate({ body: createBody(values) }, { onError: showFormError(form) })}
      />
    </FormDialog>
  )
}

export function BudgetActions({ budget }: { readonly budget: Budget }) {
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <EditButton budget={budget} />
      <DeleteButton budget={budget} />
    </Group>
  )
}

function EditButton({ budget }: { readonly budget: Budget }) {
  const form = useBudgetForm(budget)
  const dialog = useFormDialog(form)
  const update = useChange('patch', '/admin/v1/budgets/{id}', { refresh: REFRESH, onDone: dialog.saved })
  useFormSync(form, valuesOf(budget))
  const title = `Edit ${budget.name}`
  return (
    <FormDialog
      dialog={dialog}
      title={title}
      label="Edit"
      variant="default"
      size="xs"
      aria-label={title}
      pending={update.isPending}
    >
      <BudgetForm
        form={form}
        isNew={false}
        submit="Save"
        pending={update.isPending}
        onSubmit={(values) =>
          update.mutate(
            { params: { path: { id: budget.id } }, body: changedFields(patchBody(values), patchBody(valuesOf(budget))) },
            { onError: showFormError(form) },
          )
        }
      />
    </FormDialog>
  )
}

function DeleteButton({ budget: { id, name } }: { readonly budget: Budget }) {
  const remove = useChange('delete', '/admin/v1/budgets/{id}', { refresh: REFRESH })
  return (
    <ConfirmButton
      question={`Delete ${name}?`}
      consequence="Its requests are no longer limited, and its counts are deleted. This cannot be undone."
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      Delete
    </ConfirmButton>
  )
}
