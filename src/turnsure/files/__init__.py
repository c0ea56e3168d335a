"""Files from elsewhere: downloads, put in place whole and with the right digest, and wordings."""
