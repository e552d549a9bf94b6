/** The type of the failure by which a task ends whose required step got no answer. Details: [TaskFailure]. */
export const TASK_FAILED = 'holdfast.task-failed';
