import { z } from 'zod';

// Loaded in the sandbox only, before the SDK freezes what runs share. That freeze stops at objects that
// are frozen already: zod writes to its patterns' lastIndex in each check, so their list is frozen here,
// and the patterns themselves stay as they are.
Object.freeze(z.regexes);
