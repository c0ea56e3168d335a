.PHONY: demo check test lock

demo check test lock:
	python3 dev.py $@
