"""Files that come from elsewhere: put in place whole, and only with the right digest."""
