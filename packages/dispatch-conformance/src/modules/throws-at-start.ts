throw new Error('thrown at start');
